import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const root = join(import.meta.dirname, '..');
const sources = ['src', 'test', 'scripts'].flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .map((file) => join(folder, file)),
);

/** Tests that one platform or an old Node cannot run; a missing file or program is not a reason to skip. */
const CONDITIONAL = {
  'test/node-namespaces.integration.test.ts': 'runIf(refusal() === undefined)',
  'src/cli/loadtester/loadtester-command.integration.test.ts': "runIf(process.platform === 'linux')",
  'src/loadtester/process-program.integration.test.ts': 'runIf(onLinux)',
  'test/contracts/loadtester/hostile.integration.test.ts': "runIf(process.platform === 'linux')",
  'test/contracts/notifiers.integration.test.ts': 'skipIf(!knowsProxies(process.versions.node))',
};

/** Tests of tiers outside `npm test` that need a built Flagger or a corpus, and tests that a run with one seed leaves out. */
const NEEDS_ANOTHER_PROGRAM = {
  'test/application/arrival/arrival.simulated.test.ts': 'runIf(only === undefined)',
  'test/long/arrival-beside-flagger.test.ts': 'skipIf(reason !== undefined)',
  'test/long/arrival.test.ts': 'skipIf(apps.length === 0)',
  'test/differential/run/describe-scenarios.ts': 'skipIf(reason !== undefined)',
  'test/long/differential-breakages.test.ts': 'skipIf(reason !== undefined)',
};

it('no test is skipped for what lies beside a checkout', () => {
  const conditions = sources
    .filter((file) => file !== 'test/self-contained.test.ts')
    .flatMap((file) =>
      [...readFileSync(join(root, file), 'utf8').matchAll(/\b(?:it|test|describe)\.(skip\w*|runIf|todo)(\(.*?\))?(?=\(|\.each)/g)].map(
        ([, how, condition]) => `${file}: ${how}${condition ?? ''}`,
      ),
    );
  expect(new Set(conditions)).toEqual(
    new Set(Object.entries({ ...CONDITIONAL, ...NEEDS_ANOTHER_PROGRAM }).map(([file, condition]) => `${file}: ${condition}`)),
  );
});

it('no source leaves the checkout by a relative path', () => {
  const depth = (file: string) => file.split('/').length - 1;
  const leaving = sources.filter((file) => {
    const text = readFileSync(join(root, file), 'utf8');
    const ups = [
      ...[...text.matchAll(/(?:'\.\.'(?:, )?)+/g)].map(([path]) => path.match(/'\.\.'/g)?.length ?? 0),
      ...[...text.matchAll(/['"`](?:\.\.\/)+/g)].map(([path]) => path.match(/\.\.\//g)?.length ?? 0),
    ];
    return ups.some((up) => up > depth(file));
  });
  expect(leaving).toEqual([]);
});
