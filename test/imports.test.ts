import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize, relative } from 'node:path';
import { describe, expect, it } from 'vitest';

/** The table in ARCHITECTURE.md: which room may import which. Every room may import `base`. */
const mayImport = {
  base: [],
  api: [],
  engine: ['api', 'judge'],
  judge: ['api'],
  routers: ['api'],
  kube: ['api'],
  outgoing: ['api'],
  metrics: ['api', 'judge', 'outgoing'],
  webhooks: ['api', 'outgoing'],
  notifiers: ['api', 'outgoing'],
  workloads: ['api', 'kube'],
  embedded: ['api', 'kube'],
  rehearsal: ['api', 'kube', 'workloads', 'embedded', 'loadtester'],
  arrival: ['api', 'workloads', 'routers'],
  controller: ['api', 'arrival', 'engine', 'judge', 'workloads', 'routers', 'metrics', 'webhooks', 'notifiers', 'outgoing', 'kube'],
  process: ['api', 'controller', 'kube', 'metrics', 'notifiers', 'outgoing', 'routers', 'server', 'workloads'],
  server: ['api'],
  reading: ['api', 'engine', 'judge', 'kube', 'metrics', 'routers', 'webhooks', 'workloads'],
  dashboard: ['api', 'engine', 'kube', 'outgoing', 'reading', 'server'],
  loadtester: ['api'],
  cli: '*',
} satisfies Record<string, readonly string[] | '*'>;

/** The rooms inside the controller, as ARCHITECTURE.md has them: each may import those after it. */
const insideController = [
  ...['deletion', 'canary', 'journal', 'reconcile', 'status', 'admission', 'adoption'],
  ...['facts', 'notifications', 'watch', 'telemetry', 'outgoing', 'objects'],
];
/** Files beside these rooms that use them; the others there hold settings and types, which every room may import. */
const aboveRooms = ['controller.ts', 'make-deps.ts', 'canary-dispatcher.ts'];

/** Packages that only one room may import. */
const onlyIn: Record<string, string> = { '@kubernetes/client-node': 'kube', xstate: 'engine', got: 'outgoing' };

const src = join(import.meta.dirname, '..', 'src');

function sourceFiles(): string[] {
  return readdirSync(src, { recursive: true, encoding: 'utf8' }).filter((file) => /\.tsx?$/.test(file) && !file.endsWith('.test.ts'));
}

function importsOf(file: string): string[] {
  const text = readFileSync(join(src, file), 'utf8');
  return [...text.matchAll(/^(?:import|export)\b[^;]*?from '([^']+)'|\bimport\('([^']+)'\)|^import '([^']+)'/gm)].map(
    (found) => found[1] ?? found[2] ?? found[3] ?? '',
  );
}

const roomOf = (path: string): string => path.split('/')[0] ?? '';

describe('rooms', () => {
  it('import only what the table in ARCHITECTURE.md allows', () => {
    const trespasses: string[] = [];
    for (const file of sourceFiles()) {
      const room = roomOf(file);
      const allowed: readonly string[] | '*' | undefined = Object.entries(mayImport).find(([name]) => name === room)?.[1];
      if (allowed === undefined) trespasses.push(`${file}: src/${room} is not a room of the table`);
      for (const specifier of importsOf(file)) {
        if (specifier.endsWith('/package.json')) continue;
        if (specifier.startsWith('.')) {
          const other = roomOf(relative(src, normalize(join(src, dirname(file), specifier))));
          if (other !== room && other !== 'base' && allowed !== '*' && !allowed?.includes(other))
            trespasses.push(`${file} imports ${other}`);
        } else {
          const owner = onlyIn[specifier];
          if (owner !== undefined && owner !== room) trespasses.push(`${file} imports ${specifier}, which only ${owner} may know`);
        }
      }
    }
    expect(trespasses).toEqual([]);
  });

  it('are allowed what the table in ARCHITECTURE.md says', () => {
    const page = readFileSync(join(src, '..', 'ARCHITECTURE.md'), 'utf8');
    const [, table = ''] = page.split('| room | holds | may import |');
    const named = (cell: string) => [...cell.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name);
    const rows = [...(table.split('\n\n')[0] ?? '').matchAll(/^\| ((?:`[a-z]+`(?:, )?)+) \|.*\| ([^|]+) \|$/gm)];
    const written = rows.flatMap(([, rooms = '', cell = '']) =>
      named(rooms).map((room) => [room, cell === 'every room' ? '*' : named(cell).toSorted()]),
    );
    const allowed = Object.entries(mayImport).map(([room, others]) => [room, others === '*' ? others : [...others].toSorted()]);
    expect(Object.fromEntries(written)).toEqual(Object.fromEntries(allowed));
  });

  it('inside the controller import downward', () => {
    const upward: string[] = [];
    for (const file of sourceFiles().filter((one) => one.startsWith('controller/'))) {
      const [room = ''] = relative('controller', file).split('/');
      for (const specifier of importsOf(file).filter((one) => one.startsWith('.'))) {
        const target = normalize(join(dirname(file), specifier));
        const [other = ''] = relative('controller', target).split('/');
        if (!target.startsWith('controller/') || other === room || !insideController.includes(room)) continue;
        const isDown = insideController.indexOf(other) > insideController.indexOf(room);
        const isBelow = !insideController.includes(other) && !aboveRooms.includes(other);
        if (!isDown && !isBelow) upward.push(`${file} imports ${target}`);
      }
    }
    expect(upward).toEqual([]);
    const page = readFileSync(join(src, '..', 'ARCHITECTURE.md'), 'utf8');
    expect(page).toContain(insideController.map((room) => `\`${room}\``).join(', '));
    const folders = readdirSync(join(src, 'controller'), { withFileTypes: true }).filter((entry) => entry.isDirectory());
    expect(folders.map(({ name }) => name).toSorted()).toEqual(insideController.toSorted());
  });

  it('load a package late through a file of their own: imported by itself it is bundled whole, and one of CommonJS has no names', () => {
    const late = sourceFiles().flatMap((file) => [...readFileSync(join(src, file), 'utf8').matchAll(/\bimport\('(?!\.|node:)[^']+'\)/g)]);
    expect(late.map(([text]) => text)).toEqual([]);
  });

  it('hold no files that import each other in a loop, types included', () => {
    const files = new Map(
      sourceFiles().map((file) => {
        const own = importsOf(file).filter((specifier) => specifier.startsWith('.'));
        return [file, own.map((specifier) => relative(src, normalize(join(src, dirname(file), specifier))))];
      }),
    );
    const loops: string[] = [];
    const done = new Set<string>();
    const visit = (file: string, path: readonly string[]): void => {
      if (path.includes(file)) loops.push([...path.slice(path.indexOf(file)), file].join(' -> '));
      else if (!done.has(file)) for (const other of files.get(file) ?? []) visit(other, [...path, file]);
      done.add(file);
    };
    for (const file of files.keys()) visit(file, []);
    expect(loops).toEqual([]);
  });

  it('are all seen by this test', () => {
    expect(sourceFiles().length).toBeGreaterThan(20);
    expect(importsOf('api/canary.ts')).toContain('zod');
  });
});
