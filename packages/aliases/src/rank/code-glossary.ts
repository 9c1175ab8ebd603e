/** Russian words of a programmer's request, each with the words that code and its authors use for it. */
export const codeGlossary: string[][] = (
  "авторизация authorization auth|аутентификация authentication auth|аргумент argument arg|асинхронный async asynchronous|" +
  "база database db|байт byte|безопасность security|библиотека library lib|блокировка lock|браузер browser|буфер buffer|бюджет budget|" +
  "валидация validation validate|версия version|ветка branch|вложенный nested|возврат return|время time|вставка insert|вход login input|" +
  "выборка select sample|вывод output print|вызов call invoke|выполнение run execute|выражение expression|выход exit output|генерация generate|граф graph|" +
  "данные data|дерево tree|добавить add|документация docs documentation|документ document|доступ access|дубликат duplicate|журнал log journal|" +
  "зависимость dependency|заголовок header title|загрузка load download upload|задача task job|задержка delay timeout|закрыть close|замена replace|запись record write entry|" +
  "запрос request query|запуск start run launch|значение value|игнорировать ignore|импорт import|имя name|индекс index|интерфейс interface|исключение exception exclude|" +
  "история history|источник source|канал channel|каталог directory catalog folder|кеш cache|кэш cache|класс class|клиент client|ключ key|код code|количество count|" +
  "команда command|комментарий comment|компонент component|конфигурация config configuration|конвертация convert|копия copy|корень root|лимит limit|" +
  "локаль locale|массив array|маршрут route|маршрутизация routing router|метод method|модуль module|модель model|набор set|настройка settings config option|" +
  "название name title|номер number|обещание promise|обёртка wrapper wrap|обновление update|обработка handle process|обработчик handler|объединение union merge|объект object|" +
  "описание description|опция option|отладка debug|ответ response answer|отмена cancel abort|отправка send|отступ indent|очередь queue|ошибка error|" +
  "папка folder directory|параметр parameter option|пароль password|пакет package pack|парсинг parse|перевод translation|переменная variable|перехват catch intercept|" +
  "печать print|повтор retry repeat|подключение connection connect|подпись signature sign|поиск search find|поле field|пользователь user|порт port|порядок order|" +
  "поток stream thread|права permissions|правило rule|предел limit|предупреждение warning|преобразование transform convert|префикс prefix|пример example|" +
  "проверка check validate verify test|производительность performance|профиль profile|пустой empty|путь path|размер size|разделитель separator delimiter|" +
  "разрешение permission resolve|ранг rank|расширение extension|регистр case register|редактор editor|результат result|рекурсия recursive recursion|репозиторий repository|" +
  "свойство property|связь link relation|секрет secret|сервер server|сессия session|сжатие compression compress|скачать download|символ symbol character|синтаксис syntax|" +
  "скидка discount|словарь dictionary vocabulary|слово word|событие event|соединение connection|создание create|сообщение message|сортировка sort|состояние state|" +
  "список list|сравнение compare|ссылка link reference url|статус status|стек stack|столбец column|страница page|строка string line row|структура structure|схема schema|" +
  "счётчик counter|текст text|тест test|тип type|удаление remove delete|узел node|уникальный unique|условие condition|установка install|" +
  "утверждение assertion|файл file|фильтр filter|флаг flag|форма form|формат format|функция function|хеш hash|хранилище store storage|хук hook|цикл loop cycle|" +
  "часть part chunk|чтение read|число number|шаблон template pattern|шифрование encryption encrypt|экспорт export|элемент element item|экранирование escape|язык language"
)
  .split("|")
  .map((group) => group.split(" "));

const LETTERS = new Map(
  "а a б b в v г g д d е e ж zh з z и i й y к k л l м m н n о o п p р r с s т t у u ф f х h ц ts ч ch ш sh щ sch ъ _ ы y ь _ э e ю yu я ya"
    .split(" ")
    .reduce<[string, string][]>(
      (pairs, letter, at, all) =>
        at % 2 === 0 ? [...pairs, [letter, (all[at + 1] ?? "").replace("_", "")]] : pairs,
      [],
    ),
);

/** A Cyrillic word in Latin letters, as loanwords are spelled back: `парсер` is `parser`. Others stay. */
export function transliterate(word: string): string {
  return [...word].map((letter) => LETTERS.get(letter) ?? letter).join("");
}
