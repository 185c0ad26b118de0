import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkRepository, repository } from '../repository.ts';
import { root } from './run.ts';
import type { ReleaseSettings } from './settings.ts';

/** Refuses a release under another version or address than the checkout has, or without notes, before anything is pushed. */
export function checkNames({ tag, version, repositoryUrl }: Pick<ReleaseSettings, 'tag' | 'version' | 'repositoryUrl'>): void {
  if (tag !== `v${version}`) throw new Error(`the tag ${tag} is not version ${version} of package.json: correct either`);
  if (repositoryUrl !== undefined) checkRepository(repositoryUrl, repository);
  changelogSection(readFileSync(join(root, 'CHANGELOG.md'), 'utf8'), version);
}

/** The section of one version in CHANGELOG.md: the text below its heading. */
export function changelogSection(changelog: string, version: string): string {
  const [, ...sections] = changelog.split(/^## /m);
  const section = sections.find((text) => text.split(/\s/, 1)[0] === version);
  if (section === undefined) throw new Error(`CHANGELOG.md has no section ## ${version}: give ## Unreleased that name`);
  return section.slice(section.indexOf('\n')).trim();
}
