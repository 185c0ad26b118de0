import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { BundledPackage } from './bundled-packages.ts';

/** The names under which packages ship the text of their licence. */
const licenceFile = /^(licen[cs]e|copying|notice)([-.].*)?$/i;
/** Below a heading of that name, to the next heading or the end. */
const licenceSection = /^(?:#+[ \t]*)?(?:the )?licen[cs]e[ \t]*\n(?:[-=]+\n)?([\s\S]*?)(?=^#|^.+\n[-=]{3,}$|(?![\s\S]))/im;

/**
 * Licence and notice texts of the packages; a package without any is an error, since shipping its code could be forbidden. `apache`: the text of the Apache
 * License 2.0.
 */
export function notices(packages: readonly BundledPackage[], apache: string): string {
  const parts = packages.map((one) => {
    const head = `${one.name} ${one.version} (${one.licence ?? 'see below'})`;
    return [head, '-'.repeat(head.length), licenceText(one, apache)].join('\n');
  });
  return `Serin includes code of the packages below, under their own licences.\n\n${parts.join('\n\n\n')}\n`;
}

function licenceText({ folder, name, version, licence }: BundledPackage, apache: string): string {
  const files = readdirSync(folder).sort();
  const textOf = (file: string): string => readFileSync(join(folder, file), 'utf8').trim();
  const texts = files.filter((file) => licenceFile.test(file)).map(textOf);
  if (texts.length > 0) return texts.join('\n\n');
  const readme = files.find((file) => /^readme\.md$/i.test(file));
  const section = readme && licenceSection.exec(textOf(readme))?.[1]?.trim();
  // A link to a licence, or its mere name, is not its text.
  if (section && /permission is hereby granted|redistribution and use/i.test(section)) return section;
  // The text is the same for everybody: whose code it is, the package's own manifest says.
  if (licence === 'Apache-2.0') return apache.trim();
  throw new Error(`${name} ${version} (${licence ?? 'no licence'}) ships no licence text: find it, or do without the package`);
}
