import { parseDocument } from 'yaml';

export interface Image {
  repository: string;
  /** `sha256:…` */
  digest: string;
}

/** Values of a chart with the image of this release as their default; values without an image stay unmodified, with their comments. */
export function pinImage(values: string, { repository, digest }: Image): string {
  const document = parseDocument(values);
  if (!document.hasIn(['image', 'repository'])) return values;
  if (!/^sha256:[0-9a-f]{64}$/.test(digest))
    throw new Error(digest === '' ? 'the digest of the image is missing' : `${digest} is not the digest of an image`);
  document.setIn(['image', 'repository'], repository);
  document.setIn(['image', 'digest'], digest);
  return document.toString({ lineWidth: 0 });
}
