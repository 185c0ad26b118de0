import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { nearestTests } from '../scripts/nearest-tests.ts';

const root = join(import.meta.dirname, '..');

describe('the tests that npm run check:fast takes for a change', () => {
  it('begin with the test of the changed file, and go on with those of its importers', () => {
    const tests = nearestTests(root, ['src/engine/next-weight.ts']);
    expect(tests[0]).toBe('src/engine/next-weight.test.ts');
    expect(tests).toContain('src/controller/start.simulated.test.ts');
    expect(tests.indexOf('src/engine/strategy.test.ts')).toBeLessThan(tests.indexOf('src/controller/start.simulated.test.ts'));
  });

  it('begin with a test that is itself changed', () => {
    expect(nearestTests(root, ['src/engine/judge-checks.test.ts'])[0]).toBe('src/engine/judge-checks.test.ts');
  });

  it('are those of the whole repository for a file that nothing imports', () => {
    const tests = nearestTests(root, ['README.md']);
    expect(tests).toContain('test/glossary.test.ts');
    expect(tests.filter((file) => !/^test\/[^/]+\.test\.ts$/.test(file))).toEqual([]);
  });

  it('include no whole scenarios, and tests that need a socket or a process only if they import the change', () => {
    const tests = nearestTests(root, ['src/webhooks/call-webhook.ts']);
    expect(tests.filter((file) => /^test\/(?:integration|e2e|long|planes|differential)\//.test(file))).toEqual([]);
    expect(tests).toContain('src/webhooks/call-webhook.integration.test.ts');
    expect(tests).not.toContain('src/webhooks/run-hooks.integration.test.ts');
    expect(tests.length).toBeGreaterThan(50);
  });
});
