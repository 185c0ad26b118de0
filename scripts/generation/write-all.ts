import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

interface Text {
  readonly path: string;
  readonly text: string;
}

/**
 * Writes all of these files or none. They are first written beside their places, so that a full disk or a folder without permission changes nothing, then each
 * is renamed. If a rename fails, the earlier ones are undone.
 */
export function writeAll(files: readonly Text[]): void {
  const undo: (() => void)[] = [];
  try {
    const ready = files.map(({ path, text }) => {
      const newFolder = mkdirSync(dirname(path), { recursive: true });
      if (newFolder !== undefined) undo.push(() => rmSync(newFolder, { recursive: true }));
      const beside = join(dirname(path), `.${basename(path)}.${process.pid}.new`);
      undo.push(() => rmSync(beside, { force: true }));
      writeFileSync(beside, text, { mode: existsSync(path) ? statSync(path).mode : 0o644 });
      return { path, beside };
    });
    for (const { path, beside } of ready) {
      const before = statSync(path, { throwIfNoEntry: false })?.isFile() ? readFileSync(path) : undefined;
      renameSync(beside, path);
      undo.push(() => (before === undefined ? rmSync(path) : writeFileSync(path, before)));
    }
  } catch (error) {
    for (const step of undo.toReversed()) step();
    throw error;
  }
}
