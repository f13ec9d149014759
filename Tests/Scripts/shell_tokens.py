"""Splits the text of a shell script into words and operators, as far as a search for pipes needs it.

Comments, arithmetic, tests in `[[ ]]`, patterns of `case` and parameter expansions have no pipes: they are left out, or
part of a word. The commands of each substitution are a list of tokens of their own.
"""

import typing

OPERATORS = sorted(
    ";;& ;; ;& && || |& | ; &>> &> & <<< <<- << <& <> >> >& >| < > ( )".split(), key=len, reverse=True
)
# After these, a command begins.
OPENERS = {";", "\n", "&", "&&", "||", "|", "|&", "(", ")", ";;", ";&", ";;&"}
RESERVED = {"if", "then", "elif", "else", "while", "until", "do", "time", "!", "{"}
QUOTES = "'\"`\\$"


class Token(typing.NamedTuple):
    """A word without its quotes, or an operator; `pipes` are the token lists of its substitutions `>(…)`."""

    text: str
    line: int
    is_operator: bool = False
    pipes: tuple = ()


def token_lists(text, line=1):
    """The tokens of the text, then those of each substitution in it."""
    scanner = Scanner(text, line)
    scanner.commands(is_nested=False)
    return scanner.lists


class Scanner:
    """Reads a text once, from its beginning to its end."""

    def __init__(self, text, line):
        self._text, self._at, self._line = text, 0, line
        self._here = []
        self.lists = []

    def commands(self, is_nested):
        """Reads commands to the end, or to the parenthesis that closes a substitution."""
        tokens, depth, cases, waiting = [], 0, [], self._here
        self.lists.append(tokens)
        self._here = []
        while self._skip_blanks():
            if cases and cases[-1] == "pattern":
                cases[-1:] = ["body"] if self._skip_pattern() else []
                continue
            is_first = not tokens or tokens[-1].text in (OPENERS if tokens[-1].is_operator else RESERVED)
            if self._skip_expression(is_first or tokens[-1].text == "for"):
                tokens.append(Token("[[", self._line))
                continue
            line, operator = self._line, self._operator()
            if operator == ")" and is_nested and not depth:
                break
            depth += {"(": 1, ")": -1}.get(operator, 0)
            token = Token(operator, line, True) if operator else self._word()
            self._note_case(token, is_first, cases)
            if tokens and tokens[-1].text in ("<<", "<<-"):
                self._here.append((token.text, self._is_quoted, tokens[-1].text == "<<-"))
            tokens.append(token)
        self._here = waiting
        return tokens

    @staticmethod
    def _note_case(token, is_first, cases):
        """Follows how far each `case` around the token has come: to its subject, a pattern, or the commands after it."""
        if token.is_operator:
            if cases and token.text in (";;", ";&", ";;&"):
                cases[-1] = "pattern"
        elif token.text == "case" and is_first:
            cases.append("subject")
        elif token.text == "in" and cases and cases[-1] == "subject":
            cases[-1] = "pattern"
        elif token.text == "esac" and is_first and cases:
            cases.pop()

    def _peek(self, count=1):
        return self._text[self._at:self._at + count]

    def _take(self, count=1):
        taken = self._peek(count)
        self._at += count
        self._line += taken.count("\n")
        return taken

    def _skip_blanks(self):
        """Skips blanks and comments; returns whether something follows."""
        while self._at < len(self._text):
            if self._peek() in " \t\r":
                self._take()
            elif self._peek(2) == "\\\n":
                self._take(2)
            elif self._peek() == "#":
                end = self._text.find("\n", self._at)
                self._at = len(self._text) if end < 0 else end
            else:
                return True
        return False

    def _operator(self):
        if self._peek() == "\n":
            self._take()
            for document in self._here:
                self._skip_here_document(*document)
            self._here = []
            return "\n"
        # `<(…)` and `>(…)` are parts of words.
        if self._peek(2) in ("<(", ">("):
            return ""
        return next((self._take(len(each)) for each in OPERATORS if self._peek(len(each)) == each), "")

    def _skip_here_document(self, end, is_quoted, has_tabs):
        while self._at < len(self._text):
            last = self._text.find("\n", self._at)
            last = len(self._text) if last < 0 else last
            line = self._text[self._at:last]
            if (line.lstrip("\t") if has_tabs else line) == end:
                self._take(last - self._at)
                return
            while self._at < last:
                self._part(is_literal=is_quoted)
            self._take()

    def _skip_expression(self, may_begin):
        """Skips `[[ … ]]` and `(( … ))`, if one begins here."""
        if not may_begin:
            return False
        if self._peek(2) == "((":
            self._skip_parentheses()
            return True
        if self._peek(2) != "[[" or not self._peek(3)[2:].isspace():
            return False
        while self._at < len(self._text):
            if self._peek().isspace():
                self._take()
                if self._peek(2) == "]]":
                    self._take(2)
                    return True
            else:
                self._part()
        return True

    def _skip_parentheses(self):
        depth = 0
        while self._at < len(self._text):
            depth += {"(": 1, ")": -1}.get(self._peek(), 0)
            self._part()
            if not depth:
                return

    def _skip_pattern(self):
        """Skips a pattern of `case`; returns false if it is `esac` instead."""
        if self._peek() == "\n":
            self._take()
            return self._skip_blanks() and self._skip_pattern()
        if self._peek(4) == "esac" and not self._peek(5)[4:].isalnum():
            self._take(4)
            return False
        if self._peek() == "(":
            self._take()
        while self._at < len(self._text) and self._peek() != ")":
            self._part()
        self._take()
        return True

    def _word(self):
        line, parts, pipes = self._line, [], []
        self._is_quoted = False
        while self._at < len(self._text):
            if self._peek(2) in ("<(", ">("):
                is_reader = self._take(2) == ">("
                nested = self.commands(is_nested=True)
                pipes += [nested] if is_reader else []
                parts.append("(…)")
            elif self._peek().isspace() or self._peek() in ";&|()<>":
                break
            else:
                self._is_quoted = self._is_quoted or self._peek() in "'\"\\"
                parts.append(self._part())
        return Token("".join(parts), line, False, tuple(pipes))

    def _part(self, is_literal=False, in_quotes=False):
        """Reads a character, or what is quoted or substituted here; returns it without the quotes."""
        first = self._peek()
        if is_literal or first not in QUOTES or first == "'" and in_quotes:
            return self._take()
        if first == "\\":
            taken = self._take(2)
            return taken if in_quotes and taken[1:] not in QUOTES else taken[1:].replace("\n", "")
        if first == "'":
            self._take()
            return self._until("'")
        if first == '"':
            self._take()
            return self._quoted('"')
        if first == "`":
            return self._backquoted()
        return self._expansion(in_quotes)

    def _until(self, end):
        last = self._text.find(end, self._at)
        found = self._take((last if last >= 0 else len(self._text)) - self._at)
        self._take()
        return found

    def _quoted(self, end):
        parts = []
        while self._at < len(self._text) and self._peek() != end:
            parts.append(self._part(in_quotes=True))
        self._take()
        return "".join(parts)

    def _backquoted(self):
        line, begin = self._line, self._at + 1
        self._take()
        while self._at < len(self._text) and self._peek() != "`":
            self._take(2 if self._peek() == "\\" else 1)
        self.lists += token_lists(self._text[begin:self._at].replace("\\`", "`"), line)
        self._take()
        return "`…`"

    def _expansion(self, in_quotes):
        if self._peek(3) == "$((":
            self._take()
            self._skip_parentheses()
            return "$((…))"
        if self._peek(2) == "$(":
            self._take(2)
            self.commands(is_nested=True)
            return "$(…)"
        if self._peek(2) == "${":
            self._take(2)
            while self._at < len(self._text) and self._peek() != "}":
                self._part(in_quotes=in_quotes)
            self._take()
            return "${…}"
        if self._peek(2) == "$'" and not in_quotes:
            self._take(2)
            parts = []
            while self._at < len(self._text) and self._peek() != "'":
                parts.append(self._take(2 if self._peek() == "\\" else 1))
            self._take()
            return "".join(parts)
        return self._take()
