/** The forms of a Russian word, and the corresponding words in code and commits. */
interface GlossaryEntry {
  forms: string[];
  names: string[];
}

/** Words that programmers use in their requests. */
export const codeGlossary: GlossaryEntry[] = (
  "авторизация authorization auth|адрес address url|активный active|алгоритм algorithm|" +
  "анализ analysis analyze|аргумент argument arg|архив archive zip|" +
  "асинхронный async asynchronous|атрибут attribute|аутентификация authentication auth|" +
  "база database db|базовый base|байт byte|баланс balance|безопасность security|" +
  "безопасный safe secure|библиотека library lib|бинарный binary|блокировка lock|" +
  "браузер browser|буфер buffer|бюджет budget|валидация validation validate|вектор vector|" +
  "версия version|верхний upper top|вес weight|ветка branch|виджет widget|владелец owner|" +
  "вложенный nested|внешний external outer|внутренний internal inner|возврат return|" +
  "восстановление restore recover|время time|вставка insert|вход login input|" +
  "выборка select sample|вывод output print|выделить allocate extract|вызов call invoke|" +
  "выполнение run execute|выравнивание align|выравнивать align pad|выражение expression|" +
  "выход exit output|вычисление compute calculate evaluate|вычислять compute evaluate|" +
  "генерация generate|глобальный global|глубина depth deep|голова head|готовый ready done|" +
  "граница bound boundary limit|граф graph|группа group|данные data|дата date|" +
  "действие action|декоратор decorator|деление divide division|дерево tree|диапазон range|" +
  "динамический dynamic|длина length|добавить add|доверенный trusted trust|документ document|" +
  "документация docs documentation|домен domain|доступ access|дочерний child|" +
  "дубликат duplicate|единица unit|журнал log journal|зависимость dependency|" +
  "заголовок header title|заголовочный header|загрузка load download upload|задача task job|" +
  "задержка delay timeout|заказ order|закладка bookmark|закрытие close|закрыть close|" +
  "замена replace|замыкание closure|запись record write entry|запрос request query|" +
  "запуск start run launch|захват capture|защита protect guard|звук sound audio|" +
  "зеркало mirror|значение value|значок icon|игнорировать ignore|идентификатор id identifier|" +
  "иерархия hierarchy|изображение image picture|имитация mock|импорт import|имя name|" +
  "индекс index|интерфейс interface|исключение exception exclude|исполнение execute run|" +
  "история history|источник source|исходный source original|итератор iterator iterable|" +
  "итерация iteration iterate|канал channel|карта map|карточка card|" +
  "каталог directory catalog folder|категория category|кеш cache|клавиша key keyboard|" +
  "класс class|клиент client|ключ key|кнопка button|код code|кодировка encoding|" +
  "количество count|колонка column|команда command|комментарий comment|" +
  "компилятор compiler compile|компиляция compile compiler|компонент component|" +
  "конвейер pipeline|конвертация convert|константа constant|контейнер container|" +
  "контекст context|контроллер controller|конфигурация config configuration|" +
  "координата coordinate|копия copy|корень root|косвенный indirect|косой slash|куки cookie|" +
  "курсор cursor|кэш cache|лимит limit|линия line|лист sheet leaf list|локаль locale|" +
  "локальный local|максимальный max maximum|максимум max maximum|маршрут route|" +
  "маршрутизация routing router|маска mask|массив array|машина machine|меню menu|" +
  "мера measure metric|место place location|метка label tag mark|метод method|" +
  "миграция migration migrate|минимальный min minimum|множество set|модель model|" +
  "модуль module|мутация mutation mutate|мышь mouse|наблюдатель observer watcher|" +
  "наблюдение watch observe|набор set|навигация navigation navigate|название name title|" +
  "наследование inherit extends|настройка settings config option|начало start begin|" +
  "неверный invalid wrong|недействительный invalid|неизвестный unknown|" +
  "необязательный optional|нижний lower bottom|номер number|нумерация numbering|" +
  "обещание promise|облако cloud|область scope area region|обновление update|" +
  "обработка handle process|обработчик handler|обратный reverse back callback|" +
  "объединение union merge|объект object|обычный plain|обязательный required|" +
  "обёртка wrapper wrap|ограничение limit constraint restrict|ожидаемый expected|" +
  "ожидание wait await pending|окно window|окружение environment env|" +
  "оператор operator statement|операция operation|описание description|" +
  "оптимизация optimize optimization|опция option|освобождение free release dispose|" +
  "ответ response answer|отклонение reject deviation|отладка debug|" +
  "отложить defer delay postpone|отмена cancel abort|относительный relative|" +
  "отношение relation ratio|отображение map display render|отправка send|" +
  "отрицательный negative|отступ indent|отсутствие missing absent|" +
  "оценка estimate score evaluate|очередь queue|очистка clean clear cleanup|ошибка error|" +
  "пакет package pack|память memory|панель panel|папка folder directory|" +
  "параметр parameter option|пароль password|парсинг parse|перевод translation|" +
  "передача transfer pass|переключатель switch toggle switcher|переменная variable|" +
  "переопределение override|пересборка rebuild|перехват catch intercept|" +
  "перечисление enum enumeration|печать print|плагин plugin|платёж payment|" +
  "поведение behavior behaviour|поворот rotate rotation|повтор retry repeat|" +
  "поддержка support|поддомен subdomain|подключение connection connect|" +
  "подпапка subfolder subdirectory|подписка subscribe subscription|подпись signature sign|" +
  "подсветка highlight|подсказка hint tooltip prompt|подсчёт count|позиция position|" +
  "поиск search find|поле field|положительный positive|полоса bar|" +
  "получатель recipient receiver|пользователь user|порт port|порядок order|" +
  "последний last latest|последовательность sequence|" +
  "постоянный permanent constant persistent|поток stream thread|потоковый streaming stream|" +
  "потомок child descendant|права permissions|правило rule|предел limit|предикат predicate|" +
  "предок parent ancestor|представление view representation|предупреждение warning|" +
  "преобразование transform convert|прерывание interrupt abort|префикс prefix|" +
  "приватный private|привязать bind|привязка binding bind|пример example|" +
  "приоритет priority precedence|приёмник receiver|пробел space whitespace|пробный trial|" +
  "проверка check validate verify test|прогресс progress|продукт product|" +
  "производительность performance|прокрутка scroll|прокси proxy|" +
  "промежуточный middleware intermediate|промис promise|протокол protocol|прототип prototype|" +
  "профиль profile|публичный public|пустой empty|путешествие travel|путь path|" +
  "рабочий worker working|равенство equality equal|разбиение split partition|" +
  "разбор parse parser|разделение split separate|разделитель separator delimiter|" +
  "разделённый partitioned separated shared|размер size|разметка markup layout|" +
  "размещение layout placement|разрешение permission resolve|ранг rank|" +
  "распаковка unpack extract|расписание schedule|распределение distribution|" +
  "расход expense usage|расширение extension|регистр case register|" +
  "регистрация register registration|регулярный regular regex|редактор editor|" +
  "редирект redirect|режим mode|результат result|рекурсия recursive recursion|" +
  "рендеринг render|репозиторий repository|ресурс resource|родитель parent|" +
  "ротация rotation rotate|сборка build bundle|сборщик builder collector|сброс reset|" +
  "свежий fresh|свойство property|связь link relation|свёртка fold collapse|секрет secret|" +
  "секретный secret|сервер server|сервис service|сериализация serialize serialization|" +
  "сессия session|сетка grid|сеть network|сжатие compression compress|сигнал signal|" +
  "сигнатура signature|символ symbol character|синтаксис syntax|скачать download|" +
  "скидка discount|скобка bracket paren parenthesis|скрипт script|слияние merge|" +
  "словарь dictionary vocabulary|слово word|случайный random|снижение decrease|" +
  "снимок snapshot|событие event|событийный event|совпадение match|согласие consent|" +
  "соединение connection|создание create|сокет socket|сокращение shorten truncate|" +
  "сообщение message|сопоставление match matching mapping|сортировка sort|состояние state|" +
  "список list|сравнение compare|ссылка link reference url|статический static|статус status|" +
  "стек stack|стиль style|столбец column|столкновение collision|страница page|" +
  "стратегия strategy|строка string line row|структура structure|сумма sum total|" +
  "существование exist|сущность entity|схема schema|счёт account invoice|счётчик counter|" +
  "таблица table|таймер timer|текст text|тело body|тема theme subject|терминал terminal|" +
  "тест test|тип type|токен token|точка dot point|точность precision accuracy|" +
  "транзакция transaction|трассировка trace|уведомление notification notify|" +
  "угол angle corner|удаление remove delete|удалённый remote|узел node|указатель pointer|" +
  "уникальный unique|упорядочить sort order|управление control manage|уровень level|" +
  "усечение truncate|ускорение speed|условие condition|установка install|" +
  "устаревший deprecated obsolete|устройство device|утверждение assertion|утечка leak|" +
  "утилита utility util|уточнение refine refinement|участник member participant|" +
  "фабрика factory|файл file|фильтр filter|флаг flag|фон background|форма form|формат format|" +
  "фрагмент fragment|функция function|хеш hash|холст canvas|хост host|" +
  "хранилище store storage|хук hook|цвет color colour|цель target goal|цена price cost|" +
  "центр center|цепочка chain|цикл loop cycle|цифра digit|часть part chunk|черновик draft|" +
  "число number|чтение read|шаблон template pattern|шаг step|шина bus|ширина width|" +
  "шифрование encryption encrypt|шлюз gateway|шрифт font|штраф penalty|экземпляр instance|" +
  "экран screen|экранирование escape|экспоненциальный exponential|экспорт export|" +
  "элемент element item|эмулятор emulator|ядро core kernel|язык language|якорь anchor|" +
  "ячейка cell"
)
  .split("|")
  .map((group) => {
    const [word = "", ...names] = group.split(" ");
    return { forms: [word, ...formsOf(word)], names };
  });

/**
 * Returns forms that a stemmer misses because a vowel drops out, as in `список`, `списки` and
 * `ошибка`, `ошибок`.
 */
function formsOf(word: string): string[] {
  const [, start = "", vowel = "", end = ""] =
    /^(.*[бвгджзклмнпрстфхцчшщ])([оеё])([кцн]ь?)$/.exec(word) ?? [];
  if (vowel !== "" && end !== "н") return [`${start}${end.replace("ь", "")}и`];
  const [, stem = ""] = /^(.*[бвгджзклмнпрстфхцчшщ])ка$/.exec(word) ?? [];
  return stem === "" ? [] : [`${stem}ок`, `${stem}ек`];
}
