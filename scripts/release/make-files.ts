import { join } from 'node:path';
import { run, timeOf } from './run.ts';
import { besideFiles, pushedImage, type ReleaseSettings } from './settings.ts';

/** Package, charts, definitions, notices, bill of materials and checksums, beside the existing executables. */
export function makeFiles(settings: ReleaseSettings): void {
  const { repository, digest } = pushedImage(settings);
  run(process.execPath, [join('scripts', 'release-assets.ts'), settings.folder, besideFiles(settings, 'notes.md')], {
    IMAGE_REPOSITORY: repository,
    IMAGE_DIGEST: digest,
    SOURCE_DATE_EPOCH: String(timeOf(settings.commit)),
  });
}
