import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { repository } from '../repository.ts';
import { root } from './run.ts';
import type { ReleaseSettings } from './settings.ts';

/** Kind of the build, as the page of releases describes it. */
const BUILD_TYPE = `${repository}/blob/main/docs/releasing.md`;

/** Provenance of the artefacts of a release: the predicate of SLSA's provenance, version 1 (https://slsa.dev/spec/v1.0/provenance). */
export function provenance({ commit, version, platforms, bases, builder }: ReleaseSettings): object {
  const lock = createHash('sha512')
    .update(readFileSync(join(root, 'package-lock.json')))
    .digest('hex');
  return {
    buildDefinition: {
      buildType: BUILD_TYPE,
      externalParameters: { repository, version, platforms },
      internalParameters: {},
      resolvedDependencies: [
        { uri: `git+${repository}`, digest: { gitCommit: commit } },
        { uri: 'package-lock.json', digest: { sha512: lock } },
        ...Object.entries(bases).map(([role, image]) => {
          const [, digest] = image.split('@sha256:');
          return { name: `base of the ${role} stage`, uri: `oci://${image.split('@')[0]}`, ...(digest && { digest: { sha256: digest } }) };
        }),
      ],
    },
    runDetails: { builder: { id: builder }, metadata: { invocationId: builder } },
  };
}
