import { describe, expect, it } from 'vitest';
import { type TerminalChoice, terminalOf } from './terminal.ts';

const utf8 = { LANG: 'en_US.UTF-8' };
const screen = { isTTY: true, columns: 120 };
const choice = (changes: Partial<TerminalChoice>): TerminalChoice => ({ env: utf8, out: screen, color: true, plain: false, ...changes });

describe('abilities of a terminal', () => {
  it.each<{ title: string; given: Partial<TerminalChoice>; wanted: object }>([
    { title: 'a terminal with UTF-8 has all', given: {}, wanted: { color: true, unicode: true, live: true, columns: 120 } },
    {
      title: 'a pipe has no colour, is not redrawn and has 80 columns',
      given: { out: {} },
      wanted: { color: false, unicode: true, live: false, columns: 80 },
    },
    {
      title: 'NO_COLOR takes the colour alone',
      given: { env: { ...utf8, NO_COLOR: '1' } },
      wanted: { color: false, unicode: true, live: true },
    },
    { title: 'an empty NO_COLOR says nothing', given: { env: { ...utf8, NO_COLOR: '' } }, wanted: { color: true } },
    { title: '--no-color takes the colour alone', given: { color: false }, wanted: { color: false, unicode: true, live: true } },
    {
      title: 'TERM=dumb is not redrawn either',
      given: { env: { ...utf8, TERM: 'dumb' } },
      wanted: { color: false, unicode: true, live: false },
    },
    { title: '--plain takes all', given: { plain: true }, wanted: { color: false, unicode: false, live: false } },
    { title: 'the locale C has ASCII alone', given: { env: { LANG: 'C' } }, wanted: { unicode: false, color: true } },
    { title: 'no locale at all has ASCII alone', given: { env: {} }, wanted: { unicode: false } },
    { title: 'LC_ALL is stronger than LANG', given: { env: { LC_ALL: 'C', LANG: 'en_US.UTF-8' } }, wanted: { unicode: false } },
    { title: 'utf8 is written in several ways', given: { env: { LC_CTYPE: 'de_DE.utf8' } }, wanted: { unicode: true } },
    { title: 'a terminal of no width has 80 columns', given: { out: { isTTY: true, columns: 0 } }, wanted: { columns: 80 } },
  ])('$title', ({ given, wanted }) => expect(terminalOf(choice(given))).toMatchObject(wanted));
});
