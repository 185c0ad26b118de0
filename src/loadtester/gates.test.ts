import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openGates } from './gates.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'serin-gates-'));
});
afterAll(() => rm(folder, { recursive: true }));
const never = (aside: string) => {
  throw new Error(`${aside} was put aside`);
};

it('a gate is closed until it is opened, and no name of a Canary reaches the gate of another', async () => {
  const gates = await openGates(undefined, never);
  expect(gates.isOpen('gate', 'test', 'podinfo')).toBe(false);
  expect(await gates.set('rollback', 'test', 'x', true)).toBe(true);
  expect(gates.isOpen('rollback', 'test', 'x')).toBe(true);
  expect(gates.isOpen('gate', 'test', 'rollback.x')).toBe(false);
  expect(gates.isOpen('gate', 'test', 'x')).toBe(false);
  await gates.set('gate', 'b', 'a', true);
  expect(gates.isOpen('gate', '', 'a.b')).toBe(false);
  await gates.set('gate', 'b', 'a', false);
  expect(gates.isOpen('gate', 'b', 'a')).toBe(false);
});

it('with a file, gates survive a restart unchanged, and the file is complete at every moment', async () => {
  const file = join(folder, 'gates.json');
  const gates = await openGates(file, never);
  const names = Array.from({ length: 20 }, (_, index) => `app-${index}`);
  await Promise.all(names.map((name) => gates.set('gate', 'test', name, true)));
  await Promise.all([gates.set('gate', 'test', 'app-3', false), gates.set('rollback', 'test', 'app-4', true)]);
  const again = await openGates(file, never);
  expect(names.filter((name) => !again.isOpen('gate', 'test', name))).toEqual(['app-3']);
  expect(again.isOpen('rollback', 'test', 'app-4')).toBe(true);
  expect(JSON.parse(await readFile(file, 'utf8'))).toMatchObject({ version: 1 });
});

it('an invalid file is put aside, and the gates are closed', async () => {
  const file = join(folder, 'broken.json');
  await writeFile(file, '{"version":1,"open":[{"kind":"gate"');
  const aside: string[] = [];
  const gates = await openGates(file, (path) => aside.push(path));
  expect(aside).toEqual([`${file}.unreadable`]);
  await gates.set('gate', 'test', 'a', true);
  expect(await readdir(folder)).toEqual(expect.arrayContaining(['broken.json', 'broken.json.unreadable']));
});

it('a change that could not be written does not count, and does not stop the next one', async () => {
  const gates = await openGates(join(folder, 'none', 'gates.json'), never);
  await expect(gates.set('gate', 'test', 'a', true)).rejects.toThrow('ENOENT');
  expect(gates.isOpen('gate', 'test', 'a')).toBe(false);
  expect(await gates.set('gate', 'test', 'a', false)).toBe(true);
});

it('I15: gates that one namespace opens leave space for other namespaces', async () => {
  const gates = await openGates(undefined, never);
  let opened = 0;
  while (await gates.set('gate', 'greedy', `app-${opened}`, true)) opened += 1;
  expect(opened).toBe(5_000);
  expect(await gates.set('gate', 'calm', 'app', true)).toBe(true);
  expect(await gates.set('gate', 'greedy', 'app-1', false)).toBe(true);
});

it('ten thousand open gates are enough', async () => {
  const gates = await openGates(undefined, never);
  for (let index = 0; index < 10_000; index += 1) expect(await gates.set('gate', `test-${index}`, 'app', true)).toBe(true);
  expect(await gates.set('gate', 'test', 'one-more', true)).toBe(false);
  expect(await gates.set('gate', 'test-1', 'app', false)).toBe(true);
  expect(await gates.set('gate', 'test', 'one-more', true)).toBe(true);
});
