/** Lines that look like parts of an edit, also indented or quoted. */
export const MARK: RegExp =
  /^[\s>]*(?:<{5,9} ?\w|>{5,9} ?\w|-{5,9} ?SEARCH\b|\+{5,9} ?REPLACE\b|\*{3} (?:Begin Patch|End Patch|(?:Add|Update|Delete) File:)|@@(?:\s|$)|\+\+\+ \S)|^[\s>]*(?:<{3,9} ?search|>{3,9} ?replace)\b/i;
/** Tags in which models write edits. */
export const TAG: RegExp =
  /^[\s>]*<\/?(?:\w+:)?(?:(?:edit|replace|search|old|new|str_replace|write|create|insert|delete|apply|execute|file|content|invoke|parameter|function)(?:[_=]\w+)*(?:\s[^<>]*)?|\w+\s[^<>]*?(?:file|path)\w*=[^<>]*)>/i;
/** Tags around Claude's calls. */
export const CALLS_TAG: RegExp = /^\s*<\/?(?:\w+:)?function_calls>\s*$/;
/** Members of calls and plans, and tokens around the calls of some models. */
export const EDIT_MEMBER: RegExp =
  /<\|\w|\[TOOL_CALLS\]|<\/?(?:tool_call|arg_key)>|\bwrite_file\(|["'](?:actions|kind|command|old_str|old_string|oldString|file_path|filePath|patch|diff|proposed_changes)\\?["']\s*:|\*{3} Begin Patch/;
/** A line that says that a file is below it, or names one. */
export const ON_FILE: RegExp =
  /\bfiles?\b.*:\s*$|(?:^|[\s`"'(>])(?!e\.g|i\.e)[\w./-]*\w\.[A-Za-z]\w{0,7}(?![\w.])/i;
/** What follows the opening of a fence with commands. */
export const SHELL: RegExp =
  /^(?:sh|bash|shell|shellsession|zsh|console|terminal|powershell|cmd)\b/i;
/** Commands of a shell that change files. */
export const COMMAND: RegExp =
  /(?:^|[;&|]|\$ )\s*(?:sed\s+(?:-\w+\s+)*-i|perl\s+-p?i|git\s+(?:mv|rm|apply)\s|mv\s|patch\s|touch\s|cp\s+(?!\S*\.env)|(?:rm|del)\s+(?:-\w+\s+)*(?!\S*(?:dist|build|out|target|coverage|node_modules|tmp|cache)\b)\w|(?:echo|printf|cat)\s.*>\s*(?!\/dev\/|&)[\w."'~/])|\|\s*tee\s|(?:>|\btee\b).*<<-?\s*['"]?\w|\b(?:Set-Content|Out-File|(?:New|Remove|Move|Copy|Rename)-Item)\b/;
/** Code of a script that writes a file. */
export const WRITE: RegExp =
  /\b(?:write_file|writeFile(?:Sync)?|write_text)\(|\bopen\([^)]*,\s*(?:mode=)?["'][wa]/;
/** A line of code, which below a path may be the file. */
export const CODE: RegExp =
  /^(?! *[-*>|] ).*[;{]\s*$|^\s*(?:import \S|export \w|from \S+ import |#include |(?:async )?(?:def|function|class|fn|func) \w+.*[:{(]\s*$)/;
/** A sentence that asks for a change. */
export const REQUEST: RegExp =
  /^\W*(?:\d+[.)]\s+)?(?:(?:also|then|finally|next|now|please|you (?:can|should|must)|and|in)\b.{0,60}?\W)?(?:delete|remove|rename|move|change|replace|add|update|create)\s|\((?:deleted|removed)\)/i;
/** A fence's only line that is about the file, not part of it. */
export const ABOUT_FILE: RegExp =
  /^\W+(?:(?:this|the|file|is|was|has|been|to|be|should|can)\s+)*(?:deleted?|removed?|unchanged|no (?:other )?changes?)\b.{0,40}$/i;

/** The same in a line of prose, where a word alone may be one of English. */
export const COMMAND_LINE: RegExp =
  /^\s*(?:\$\s+)?(?:(?:rm|mv|git (?:mv|rm)|sed -i)\s+\S*[./]|echo\s.*>\s*\S+$)/;
/** Marks of an edit in a fence below a path, which would become the text of the file. */
export const MARK_IN_FILE: RegExp =
  /^[\s>]*(?:<{3,9} ?(?:SEARCH|ORIGINAL|OLD)\b|>{3,9} ?(?:REPLACE|UPDATED|NEW)\b|\*{3} (?:Begin Patch|End Patch|(?:Add|Update|Delete) File:)|<\/?(?:replace|(?:old|new)_str(?:ing)?)>)/i;
/** What follows the opening of a fence with a diff. */
export const DIFF: RegExp = /^u?(?:diff|patch)\b/i;
/** A path of a file that is a diff itself. */
export const DIFF_FILE: RegExp = /\.(?:diff|patch)$/i;
/** A path of a file that may consist of commands. */
export const SHELL_FILE: RegExp = /(?:\.(?:\w*sh|ps1|bat|cmd)|(?:^|\/)[^.]+|(?:^|\/)\.[^/]*)$/i;
/** A line between two blocks that may name another file than the last one. */
export const OTHER_FILE: RegExp =
  /[^\s`"'(*]\.(?:[cm]?[jt]sx?|py|rb|go|rs|java|kts?|[ch](?:pp|c)?|cs|php|swift|scala|sh|mdx?|json|ya?ml|toml|html?|s?css|sql|vue|svelte|txt|xml|ini|env)\b|^[A-Z][A-Z_]+$|^\.\w+ignore$/u;
/** A line below a fence that says where it belongs. */
export const SAVED_AS: RegExp = /^\W*(?:save|put|store|write)\b.*[/.]\w|^[*(]+\S+\.\w+[*)]+$/i;
/** A line above a fence with one half of a change. */
export const BEFORE_OR_AFTER: RegExp =
  /^\W*(?:before|after|old|new|from|to|with|change|replace(?: it)?(?: with| by)?)\W*$/i;
/** A path, or what may be one, after the opening of a fence. */
export const INFO_ON_FILE: RegExp = /[\w)\]}]\.[a-z]\w{0,7}\b|\w[\\/]\w/i;
/** A path of a file that may hold fences. */
export const MARKDOWN: RegExp = /\.(?:md|mdx|markdown)$/i;
/** The opening of a fence in the item of a list. */
export const INDENTED_FENCE: RegExp = /^([ \t]+)(?:`{3,}|~{3,})/;
/** The opening of a fence in a quotation. */
export const QUOTED_FENCE: RegExp = /^\s*>\s*(?:`{3,}|~{3,})/;
