import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { countedWork } from '../../../test/fakes/counted-work.ts';
import { honestCanary as canary, lined, releasedByFiles as released } from '../../../test/fakes/hostile-files.ts';
import { validateCommand } from './validate.ts';

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'serin-hostile-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

describe('the work of serin validate', () => {
  it.each([
    ['keys', (n: number) => lined(n, (k) => `k${k}: x`)],
    ['keys in braces', (n: number) => `{${lined(n, (k) => `k${k}: x,`)}}`],
    ['anchors', (n: number) => lined(n, (k) => `k${k}: &a${k} x`)],
    ['aliases', (n: number) => `a: &a [x]\n${lined(n, (k) => `k${k}: *a`)}`],
    ['anchors with their aliases', (n: number) => lined(n, (k) => `k${k}: &a${k} x\nl${k}: *a${k}`)],
    ['quotes', (n: number) => '"'.repeat(n)],
    ['documents', (n: number) => lined(n, () => 'a: b\n---')],
    ['faults', (n: number) => lined(n, (k) => `@${k}: b`)],
    ['unknown fields of a Canary', (n: number) => `${canary.replace(/\{ targetRef.*/, '')}${lined(n, (k) => `  x${k}: 1`)}`],
    ['Canaries', (n: number) => lined(n / 8, (k) => `---\n${canary.replace('shop', `shop-${k}`)}`)],
    ['Canaries with their targets', (n: number) => lined(n / 32, (k) => released(k))],
  ])('of %s grows with their number, not with its square', async (_, text) => {
    await workOf(text(64));
    const [once, twice] = [await workOf(text(2_000)), await workOf(text(4_000))];
    expect(once).toBeGreaterThan(2_000 / 32);
    expect(twice / once).toBeLessThan(2.3);
  });
});

function workOf(text: string): Promise<number> {
  writeFileSync(join(folder, 'f.yaml'), text);
  return countedWork(() => validateCommand({ files: [folder] }, () => undefined));
}
