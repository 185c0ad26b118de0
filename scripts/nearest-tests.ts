import { importGraph } from './import-graph.ts';

/** Tests of `npm test`, without tests that play whole scenarios. */
const isBesideCode = (file: string): boolean => /^(?:src|test\/contracts|test\/golden)\/.*\.test\.tsx?$|^test\/[^/]+\.test\.ts$/.test(file);
/** A test that needs a socket or a process is taken only if it is, or imports, the change itself. */
const needsOutside = (file: string): boolean => file.endsWith('.integration.test.ts');
/** Tests of the repository as a whole: they read the text of all files. */
const isOfAll = (file: string): boolean => /^test\/[^./]+\.test\.ts$/.test(file);
/** A test of all files comes after tests that import the change within so many steps. */
const NEAR = 2;

/** Tests that a change can affect by the import graph, nearest first, with the tests of the repository as a whole. Paths from the root. */
export function nearestTests(root: string, changed: readonly string[]): string[] {
  const graph = importGraph(root);
  const distances = new Map(graph.importersOf(changed));
  for (const file of graph.files) if (isOfAll(file) && !distances.has(file)) distances.set(file, NEAR + 0.5);
  const known = new Set(graph.files);
  const tests = [...distances].filter(([file, steps]) => known.has(file) && isBesideCode(file) && (steps <= 1 || !needsOutside(file)));
  return tests.toSorted(([a, near], [b, far]) => near - far || (a < b ? -1 : 1)).map(([file]) => file);
}
