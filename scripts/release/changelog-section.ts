/** The section of one version in CHANGELOG.md: the text below its heading. */
export function changelogSection(changelog: string, version: string): string {
  const [, ...sections] = changelog.split(/^## /m);
  const section = sections.find((text) => text.split(/\s/, 1)[0] === version);
  if (section === undefined) throw new Error(`CHANGELOG.md has no section ## ${version}: give ## Unreleased that name`);
  return section.slice(section.indexOf('\n')).trim();
}
