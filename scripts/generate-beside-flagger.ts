/** Writes what users got by Serin and by Flagger, on a real node and by the bench, into docs/beside-flagger.md; with `--check`, fails when the committed one differs. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { RecordedUsers } from '../test/bench/users/recorded-users.ts';
import { usersTable } from '../test/bench/users/users-table.ts';
import type { PlayedRelease } from '../test/node/played-release.ts';
import type { Generate } from './generation/generated-file.ts';
import { runAlone } from './generation/settle.ts';
import { withParts } from './generation/with-parts.ts';

const root = join(import.meta.dirname, '..');
const path = join(root, 'docs', 'beside-flagger.md');
const source = 'test/node/recorded/beside-flagger.json';
const usersSource = 'test/bench/recorded/users.json';

type ControllerName = PlayedRelease['controller'];
const CONTROLLERS: readonly ControllerName[] = ['serin', 'flagger'];
const NAMES: Readonly<Record<ControllerName, string>> = { serin: 'Serin', flagger: 'Flagger' };

/** Tables of each way: good and bad releases under each fault, and then each release. */
function tablesOf(played: readonly PlayedRelease[]): string[] {
  const ways = [...new Set(played.map(({ way }) => way))];
  const rounds = ways.flatMap((way) => {
    const ofWay = played.filter((one) => one.way === way);
    return [...new Set(ofWay.map(({ fault }) => fault))].map((fault) => ({ way, fault, all: ofWay.filter((one) => one.fault === fault) }));
  });
  return [
    '',
    `| failed requests for each release | ${head((name) => [`${name}: good`, `${name}: bad`])} |`,
    '|---|---|---|---|---|',
    ...rounds.map(({ way, fault, all }) => {
      const cells = CONTROLLERS.flatMap((controller) => {
        const own = all.filter((one) => one.controller === controller);
        return [own.filter(isGood), own.filter((one) => !isGood(one))].map(perRelease);
      });
      return `| ${way}, ${fault} | ${cells.join(' | ')} |`;
    }),
    ...rounds.flatMap(({ way, fault, all }) => [
      '',
      `| ${way}, ${fault}: the new version is | ${head((name) => [`${name}: failed requests`, 'answers of the new version', 'end'])} |`,
      '|---|---|---|---|---|---|---|',
      ...[...new Set(all.map(({ behaviour }) => behaviour))].map((behaviour) => {
        const cells = CONTROLLERS.flatMap((controller) =>
          cellsOf(all.find((one) => one.controller === controller && one.behaviour === behaviour)),
        );
        return `| ${behaviour} | ${cells.join(' | ')} |`;
      }),
    ]),
  ];
}

const head = (column: (name: string) => readonly string[]): string => CONTROLLERS.flatMap((each) => column(NAMES[each])).join(' | ');

const isGood = ({ behaviour }: PlayedRelease): boolean => behaviour === 'good';

function perRelease(releases: readonly PlayedRelease[]): string {
  if (releases.length === 0) return '';
  const failed = releases.reduce((sum, one) => sum + one.failed, 0);
  return String(Number((failed / releases.length).toFixed(1)));
}

const cellsOf = (one: PlayedRelease | undefined): string[] =>
  one === undefined ? ['', '', ''] : [`${one.failed} of ${one.sent}`, String(one.answeredByNew), `${one.phase} after ${one.seconds} s`];

export const generate: Generate = () => {
  const lines = tablesOf(Object.values(JSON.parse(readFileSync(join(root, source), 'utf8')) as Record<string, PlayedRelease[]>).flat());
  const users = usersTable(JSON.parse(readFileSync(join(root, usersSource), 'utf8')) as RecordedUsers[]);
  const parts = { tables: lines.join('\n'), users: users.join('\n') };
  return [{ path, text: withParts(readFileSync(path, 'utf8'), 'generate-beside-flagger', parts), source }];
};

if (import.meta.main) await runAlone(generate);
