// The default theme, with the home page as a landmark. By default it is a `div`, which screen readers skip.
import DefaultTheme from "vitepress/theme";
import { h, nextTick, onMounted, watch } from "vue";
import { useRoute } from "vitepress";

export default {
  extends: DefaultTheme,
  Layout: {
    setup() {
      const route = useRoute();
      const markHome = () => document.querySelector(".VPHome")?.setAttribute("role", "main");
      onMounted(markHome);
      watch(
        () => route.path,
        () => nextTick(markHome),
      );
      return () => h(DefaultTheme.Layout);
    },
  },
};
