import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { changedRules } from './changed-rules.ts';
import { Kills } from './kills.ts';

const root = join(import.meta.dirname, '..', '..');
const changed = changedRules.find(({ name }) => name === process.env.CHANGED_RULE);
const path = changed && join(root, 'src', 'engine', changed.file);

/** The tests of the engine with the rule of `CHANGED_RULE` changed as its module is loaded: no file is written. Without `CHANGED_RULE`, no rule is changed. */
export default defineConfig({
  root,
  plugins: [
    {
      name: 'changed-rule',
      enforce: 'pre',
      transform(code, id) {
        if (changed === undefined || id.split('?')[0] !== path) return undefined;
        return { code: code.replace(changed.find, () => changed.replace), map: null };
      },
    },
  ],
  test: {
    name: 'changed-rules',
    update: 'none',
    // Its key does not know of the change.
    fsModuleCache: false,
    // A run that has found the change ends at once.
    teardownTimeout: 1_000,
    isolate: false,
    testTimeout: 180_000,
    setupFiles: ['test/fakes/fixed-seed.ts', 'test/fakes/no-unmoved.ts', 'test/mutants/no-shrinking.ts'],
    include: ['src/engine/**/*.test.ts'],
    reporters: [new Kills(changed?.rule, process.env.CHANGED_RULE_RESULT)],
  },
});
