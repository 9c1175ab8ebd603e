/**
 * English and Russian words that carry no subject, in lower case. They become query terms only if
 * the query has no other words.
 */
export const stopWords: ReadonlySet<string> = new Set(
  `a about above after again all also am among an and any anyone anything are as at be because been before being below between both but by
  can cannot could did do does doing don done down during each either else ever every few for from further had has have having he her here
  hers herself hey hi him himself his how however i if in into is it its itself just let ll m many me might more most much must my myself neither
  no nor not now of off on once only onto or other others our ours out over own per re s same shall she should since so some such t than that
  the their theirs them themselves then there these they this those through thus to too under until up upon us ve very was we were what
  whatever when where whether which while who whom whose why will with within without would yes yet you your yours yourself
  и в во не что он на я с со как а то все она так его но да ты к у же вы за бы по только ее мне было вот от меня еще нет о из ему теперь
  когда даже ну ли если уже или ни быть был него до вас нибудь вам ведь там потом себя ничего ей может они тут где есть надо ней для мы
  тебя их чем была сам чтоб без будто чего раз тоже себе под будет ж тогда кто этот того потому этого какой какая какие какое каких
  каком каждый каждая каждое каждого каждой каждому ним здесь этом один почти мой тем чтобы нее были куда зачем всех никогда можно при
  об другой хоть после над больше тот через эти нас про всего них много разве эту моя свою этой перед иногда лучше чуть том нельзя такой
  им более всегда конечно всю между это мои наш наша наши сколько который которая которые которое которых которым чей чья нам мной будут будем будет вот очень самый самая самое самые нами нашем нашу наших нашей своей своих свои твой ваш ваша ваши`
    .split(/\s+/)
    .filter(Boolean),
);

/**
 * Words used to phrase a request that seldom name what is requested. In a query, they become terms
 * with a small weight.
 */
export const requestWords: ReadonlySet<string> = new Set(
  `additionally appreciate ask assist assistance available calculate check compute could curious desire determine display enumerate explore
  fetch figure find gather get give given grab hello help identify information inform interested know learn like list look looking lookup
  need obtain offer output please possible present provide providing query request require retrieve return select sees see seek show
  suggest tell thank thanks understand use using want wanted wish wonder working
  дай дайте выведи вывести выдай выдать запрос интересует найди найдите найти нужен нужна нужно нужны отобрази отобразить перечисли
  перечислить подскажи подскажите покажи покажите показать получи получить пожалуйста помоги помогите посмотреть посчитай посчитать
  предоставь расскажи сделай сделать скажи спасибо список хочу хотел хотела узнать`
    .split(/\s+/)
    .filter(Boolean),
);
