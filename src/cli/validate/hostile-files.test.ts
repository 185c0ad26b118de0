import { mkdirSync, mkdtempSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  besideHonest,
  honestCanary as canary,
  hostileTexts,
  lined,
  releasedByFiles as released,
} from '../../../test/fakes/hostile-files.ts';
import { MOST } from './limits.ts';
import { validateCommand } from './validate.ts';

const ofCanary = expect.stringContaining('Canary/shop: warning: spec.analysis: has neither');

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'serin-hostile-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

async function validated(...files: string[]) {
  const lines: string[] = [];
  const code = await validateCommand({ files: files.length > 0 ? files : [folder] }, (line) =>
    lines.push(line.replaceAll(`${folder}/`, '')),
  );
  return { code, lines };
}

async function validatedText(text: string) {
  writeFileSync(join(folder, 'f.yaml'), text);
  return validated();
}

describe('serin validate of hostile files', () => {
  it.each(hostileTexts)('%s is one finding with its line, and hides none of another document', async (_, text, message) => {
    const { code, lines } = await validatedText(besideHonest(text));
    expect(code).toBe(1);
    expect(lines).toEqual([expect.stringContaining(message), ofCanary]);
  });

  it('losses of arrivals are checked up to a limit, and the Canaries after it say so', async () => {
    const services = lined(
      MOST.documents - 140,
      (n) => `---\napiVersion: v1\nkind: Service\nmetadata: { name: s-${n}, namespace: n }\nspec: {}`,
    );
    const { code, lines } = await validatedText(`${lined(35, (n) => released(n, 'n'))}\n${services}`);
    const skipped = lines.filter((line) =>
      line.includes('warning: spec.targetRef: not checked for what would be lost, since this run has'),
    );
    expect(code).toBe(0);
    expect(skipped.map((line) => /shop-\d+/.exec(line)?.[0])).toEqual(['shop-30', 'shop-31', 'shop-32', 'shop-33', 'shop-34']);
  });

  it('a link out of the folder is not followed, and neither is one to a device', async () => {
    const away = mkdtempSync(join(tmpdir(), 'serin-away-'));
    writeFileSync(join(away, 'secret.yaml'), canary);
    mkdirSync(join(folder, 'in'));
    symlinkSync(join(away, 'secret.yaml'), join(folder, 'a.yaml'));
    symlinkSync(away, join(folder, 'away.yaml'));
    symlinkSync(away, join(folder, 'away'));
    symlinkSync('/dev/zero', join(folder, 'b.yaml'));
    symlinkSync('/dev/stdin', join(folder, 'in', 'c.yml'));
    symlinkSync('loop.yaml', join(folder, 'loop.yaml'));
    writeFileSync(join(folder, 'own.yaml'), canary);
    symlinkSync('../own.yaml', join(folder, 'in', 'd.yaml'));
    const { code, lines } = await validated();
    rmSync(away, { recursive: true });
    expect(code).toBe(1);
    const out = `error: is a link out of ${folder}: name the file itself, or a folder that has both`;
    expect(lines.filter((line) => !line.includes('Canary/'))).toEqual([
      `a.yaml: ${out}`,
      `b.yaml: ${out}`,
      `in/c.yml: ${out}`,
      'loop.yaml: error: is a link that leads to itself: remove it',
    ]);
    expect(lines.filter((line) => /^(own|in\/d)\.yaml.*has neither/.test(line))).toHaveLength(2);
  });

  it('a device or a file beyond the limit is read no further than it, also where it is named itself', async () => {
    writeFileSync(join(folder, 'large.yaml'), canary);
    truncateSync(join(folder, 'large.yaml'), MOST.fileBytes + 1);
    const zeros = join(folder, 'zeros.yaml');
    symlinkSync('/dev/zero', zeros);
    const large = 'error: is larger than 32 MiB: split it, or leave it out';
    expect(await validated(join(folder, 'large.yaml'), zeros)).toEqual({
      code: 1,
      lines: [`large.yaml: ${large}`, `zeros.yaml: ${large}`],
    });
  });

  it('the files of a run are read up to a limit together', async () => {
    for (let n = 0; n < 5; n += 1) writeFileSync(join(folder, `${n}.yaml`), `#${'x'.repeat(MOST.fileBytes - 2)}\n`);
    const { lines } = await validated();
    expect(lines).toEqual(['4.yaml: error: is not read: the files of this run have more than 128 MiB together: check fewer at a time']);
  });

  it('more manifests below a folder than the limit are one finding', async () => {
    for (let n = 0; n <= MOST.files + 2; n += 1) writeFileSync(join(folder, `${String(n).padStart(5, '0')}.yaml`), '');
    const { lines } = await validated();
    expect(lines).toEqual([`10000.yaml: error: ${folder} has more than 10000 manifests; the rest is not read: check fewer at a time`]);
  });
});
