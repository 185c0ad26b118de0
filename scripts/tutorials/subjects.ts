import { providerFixtures } from '../../test/scenarios/providers/index.ts';
import type { ProviderFixture } from '../../test/scenarios/providers/provider-fixture.ts';
import type { Subject } from './tutorial-page.ts';

const plainServices: ProviderFixture = {
  provider: 'kubernetes',
  tutorial: [
    'plain Services',
    'Without a mesh or ingress nothing divides requests: Blue/Green. The new version is checked without users, then all of them move.',
  ],
  host: ({ name, namespace }) => `${name}.${namespace}`,
  route: ({ name, namespace }) => ({ apiVersion: 'v1', kind: 'Service', name, namespace }),
  edits: {},
};

export const subjects: readonly Subject[] = [...providerFixtures, plainServices].flatMap((fixture) => {
  const [title, about] = fixture.tutorial ?? [];
  return title === undefined || about === undefined ? [] : [{ fixture, title, about }];
});

/** File of a page, without its folder. */
export const pageOf = ({ fixture }: Subject): string => `${fixture.provider.replaceAll(':', '-')}.md`;
