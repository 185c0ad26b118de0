import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { provenance } from './provenance.ts';
import { run } from './run.ts';
import { besideFiles, pushedCharts, pushedImage, type ReleaseSettings } from './settings.ts';

/**
 * Signs by digest: the image with its bill of materials and its provenance, the charts, and the list of checksums of all files. Without a key the identity of
 * the forge signs, and the signature is in the public log.
 */
export function sign(settings: ReleaseSettings): void {
  const { folder, signingKey } = settings;
  const { repository, digest } = pushedImage(settings);
  const image = `${repository}@${digest}`;
  const signer = ['--yes', ...(signingKey ? ['--key', signingKey, '--use-signing-config=false', '--tlog-upload=false'] : [])];
  const cosign = (...words: string[]) => run('cosign', words);
  const origin = besideFiles(settings, 'provenance.json');
  writeFileSync(origin, JSON.stringify(provenance(settings)));
  cosign('sign', ...signer, '--recursive', image);
  cosign('attest', ...signer, '--type', 'cyclonedx', '--predicate', join(folder, 'serin-sbom.cdx.json'), image);
  cosign('attest', ...signer, '--type', 'slsaprovenance1', '--predicate', origin, image);
  for (const chart of pushedCharts(settings)) cosign('sign', ...signer, chart);
  const sums = join(folder, 'SHA256SUMS');
  cosign('sign-blob', ...signer, '--bundle', `${sums}.sigstore.json`, sums);
}
