import { join } from 'node:path';
import { checkNames } from './check-names.ts';
import { publishPackage } from './publish-package.ts';
import { pushCharts } from './push-charts.ts';
import { pushImage } from './push-image.ts';
import { run, timeOf } from './run.ts';
import { besideFiles, pushedImage, type ReleaseSettings } from './settings.ts';
import { sign } from './sign.ts';

export interface ReleaseStep {
  name: 'names' | 'image' | 'files' | 'charts' | 'sign' | 'package';
  what: string;
  run(settings: ReleaseSettings): void;
}

/** The steps of a release, in their order: of the forge's workflow and of a rehearsal. Executables are made before, each on a machine of its own. */
export const steps: readonly ReleaseStep[] = [
  { name: 'names', what: 'compares tag, version and address, and looks for the notes', run: checkNames },
  { name: 'image', what: 'builds the image of each platform, and pushes them as one index', run: pushImage },
  { name: 'files', what: 'makes package, charts, definitions, notices, bill of materials and checksums', run: makeFiles },
  { name: 'charts', what: 'pushes the charts, which start this very image', run: pushCharts },
  { name: 'sign', what: 'signs image, bill of materials, provenance, charts and checksums', run: sign },
  { name: 'package', what: 'publishes the npm package, where a registry is given', run: publishPackage },
];

/** Package, charts, definitions, notices, bill of materials and checksums, beside the existing executables. */
function makeFiles(settings: ReleaseSettings): void {
  const { repository, digest } = pushedImage(settings);
  run(process.execPath, [join('scripts', 'release-assets.ts'), settings.folder, besideFiles(settings, 'notes.md')], {
    IMAGE_REPOSITORY: repository,
    IMAGE_DIGEST: digest,
    SOURCE_DATE_EPOCH: String(timeOf(settings.commit)),
  });
}
