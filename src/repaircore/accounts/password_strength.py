"""Reject common passwords: the ones that anybody would try first.

The words were compiled for this package from widely published facts about the most common passwords; no list was
copied. A word is also rejected in the disguises that guessing programs try: with digits and punctuation around it, in
capitals, and with the usual digits in place of letters. Passwords built from few characters, or along the keyboard, are
rejected by rule. This is not a dictionary: a longer password of several words passes.
"""

import re
from typing import Final
from unicodedata import normalize

from attrs import frozen

_TEXT: Final = """
    password passwort passwords passphrase passcode pass contrasena motdepasse parola senha
    admin administrator root user username login guest test testing tester demo default changeme changeit letmein letme
    welcome welcomeback hello helloworld access accessgranted secret topsecret nothing whatever unknown blank master
    superuser supervisor system server service security private public temporary temp newpass newpassword mypassword
    yourpassword thepassword passwordpassword adminadmin rootroot password1password
    iloveyou iloveu ilovehim iloveher ilovegod iloveme iloveyouso loveyou loveme lover lovely love princess prince
    queen king angel angels baby babygirl babyboy sweetheart sweety sweetie honey darling beautiful gorgeous handsome
    sunshine moonlight starlight rainbow flower flowers butterfly rose summer winter autumn spring january february march
    april june july august september october november december monday tuesday wednesday thursday friday saturday sunday
    monkey dragon tiger lion eagle falcon phoenix wolf bear panther shark dolphin horse cowboy puppy kitty kitten doggie
    buddy shadow ghost killer hunter ranger warrior ninja samurai pirate wizard merlin gandalf hobbit frodo skywalker
    starwars startrek pokemon pikachu mario zelda minecraft fortnite roblox batman superman spiderman ironman avengers
    matrix trustno trustnoone freedom liberty america canada mexico london paris berlin dallas boston chicago houston
    newyork california texas florida
    football baseball basketball soccer hockey golf golfer tennis swimming fishing hunting racing nascar yankees cowboys
    lakers steelers eagles patriots packers broncos redsox arsenal chelsea liverpool barcelona realmadrid juventus
    michael michelle jennifer jessica jordan ashley amanda daniel andrew anthony thomas charlie robert william joshua
    matthew nicole samantha hannah maggie ginger harley davidson mustang corvette ferrari porsche mercedes chevy
    chevrolet camaro toyota honda nissan yamaha kawasaki mechanic automotive repair repairs repaircore garage workshop
    computer internet google facebook instagram youtube twitter amazon apple microsoft windows android samsung iphone
    linux ubuntu oracle database postgres mysql sqlite redis docker jenkins github gitlab
    cheese cookie cookies chocolate banana orange apple cherry pepper peanut coffee whiskey pizza chicken
    jesus jesuschrist christ blessed blessing heaven faith grace church family mother father mommy daddy brother sister
    friends bestfriend forever always happy happiness smile lucky money million dollar casino poker diamond silver
    golden purple yellow orange green black white blue red
    guitar music rockstar metallica nirvana eminem slipknot blink linkinpark
    fuckyou fuckoff fuckme asshole bullshit bitch sexy sexsex
    abcabc aaaaaa abcdef qwerty qwertz azerty qwertyuiop asdf asdfgh asdfghjkl zxcvbn zxcvbnm qazwsx qazwsxedc wsxedc
    qweasd qweasdzxc asdasd asdqwe qweqwe zaqxsw zaqwsx abcd abc xxx
    correcthorsebatterystaple
    """
_WORDS: Final = frozenset(_TEXT.split())
"""Letters only: a password is compared with these after its disguises are removed."""

_DISGUISES: Final = str.maketrans("@4301!|5$7+8", "aaeoiiisstt" + "b")
_RUNS: Final = (
    "abcdefghijklmnopqrstuvwxyz",
    "01234567890",
    "qwertyuiop",
    "qwertzuiop",
    "azertyuiop",
    "asdfghjkl",
    "zxcvbnm",
    "yxcvbnm",
    "1qaz2wsx3edc4rfv5tgb6yhn7ujm8ik9ol0p",
    "1q2w3e4r5t6y7u8i9o0p",
    "q1w2e3r4t5y6u7i8o9p0",
    "!@#$%^&*()",
)
_MARKS: Final = re.compile(r"^[^a-z]+|[^a-z]+$")
_FEWEST_KINDS: Final = 3
"""A password with fewer different characters is a pattern, not a secret."""
_UNITS: Final = (3, 4)
"""The lengths of repeated units; shorter ones have too few different characters."""
_LONGEST_REST: Final = 4
"""Up to this many characters around a keyboard run are guessed along with it."""

_MOST_DIGITS: Final = 10
"""All strings of digits up to this length, such as dates and phone numbers, can be tried within seconds."""


def normalize_password(password: str) -> str:
    """Return the form that is hashed (NFKC): keyboards and systems encode the same letters in different ways."""
    return normalize("NFKC", password)


def is_common(password: str) -> bool:
    """Return whether a password is among the first that anybody would try."""
    text = normalize_password(password).casefold().strip()
    dense = re.sub(r"[\s_.-]+", "", text)
    return (
        _is_pattern(text) or _is_pattern(dense) or _has_long_run(dense) or _is_word(text) or _is_word(dense)
    )


def resembles_email(password: str, email: str) -> bool:
    """Return whether a password is the e-mail or the part before its @, apart from digits and punctuation around it."""
    whole = normalize_password(email).casefold().strip()
    text = normalize_password(password).casefold().strip()
    local = whole.rpartition("@")[0]
    cores = {_core(whole), _core(local), _core(local.partition("+")[0])} - {""}
    return text in {whole, local} or _core(text) in cores


@frozen
class NotCommon:
    """Requires a password that is not among the first that anybody would try."""

    def broken_by(self, value: str) -> str | None:
        """Return the predicate that ``value`` breaks, or None if it is valid."""
        return "is too easy to guess; choose another, such as several words" if is_common(value) else None


def _core(text: str) -> str:
    """Return ``text`` without the digits and punctuation at both ends."""
    return _MARKS.sub("", text)


def _is_word(text: str) -> bool:
    plain = _core(text)
    disguised = {_core(text.translate(_DISGUISES)), _core(plain.translate(_DISGUISES))}
    return plain in _WORDS or bool(disguised & _WORDS) or text.translate(_DISGUISES) in _WORDS


def _is_pattern(text: str) -> bool:
    """Return whether text repeats a short unit, has very few different characters, or is a short string of digits."""
    if len(set(text)) < _FEWEST_KINDS or (text.isdigit() and len(text) <= _MOST_DIGITS):
        return True
    return any(text.startswith(text[size:]) for size in _UNITS if len(text) >= 2 * size)


def _has_long_run(text: str) -> bool:
    """Return whether all but a few characters follow the alphabet or a row of the keyboard."""
    return len(text) - _longest_run(text) <= _LONGEST_REST and _longest_run(text) >= _LONGEST_REST


def _longest_run(text: str) -> int:
    longest = 0
    for row in (*_RUNS, *(row[::-1] for row in _RUNS)):
        for start in range(len(text)):
            length = longest + 1
            while start + length <= len(text) and text[start : start + length] in row:
                longest, length = length, length + 1
    return longest
