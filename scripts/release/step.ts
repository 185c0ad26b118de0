/** One step of a release: `node scripts/release/step.ts NAME`. Its settings are in the environment (settings.ts); docs/releasing.md describes each. */
import { releaseSettings } from './settings.ts';
import { steps } from './steps.ts';

const step = steps.find(({ name }) => name === process.argv[2]);
if (step === undefined) {
  process.stderr.write(
    `${process.argv[2] ?? 'no name'} is not a step of a release: name one of ${steps.map(({ name }) => name).join(', ')}\n`,
  );
  process.exit(64);
}
try {
  step.run(releaseSettings(process.env));
} catch (error) {
  process.stderr.write(`${step.name}: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
}
