import manifest from '../package.json' with { type: 'json' };

/**
 * Address of the repository. `repository.url` of package.json is the only place to edit; `npm run generate` writes it into all others. A host of example.com is
 * a placeholder for an unknown address: no release is made with it.
 */
export const repository = manifest.repository.url.replace(/^git\+/, '').replace(/\.git$/, '');
export const homepage = `${repository}#readme`;
export const issues = `${repository}/issues`;
export const securityReports = `${repository}/security/advisories/new`;

/** Refuses a release whose charts, image and package would link to another repository than its own. */
export function checkRepository(releasedFrom: string, written: string): void {
  if (releasedFrom.toLowerCase() === written.toLowerCase()) return;
  throw new Error(
    `package.json: repository.url names ${written}, and the release is made in ${releasedFrom}: set it to git+${releasedFrom}.git, then npm run generate`,
  );
}
