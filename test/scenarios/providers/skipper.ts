import { anIngress, annotate, ingressCopy, ingressEdits, ingressHost, ingressSpec } from './ingress.ts';
import type { ProviderFixture } from './provider-fixture.ts';

const WEIGHTS = 'zalando.org/backend-weights';
const PREDICATE = 'zalando.org/skipper-predicate';

/** The same weights the other way round. */
const swapped: ProviderFixture['edits'][string] = (object) => {
  const entries = Object.entries(JSON.parse(object.metadata.annotations?.[WEIGHTS] ?? '{}') as Record<string, number>);
  return annotate({ [WEIGHTS]: JSON.stringify(Object.fromEntries(entries.map(([name, share]) => [name, 100 - share]))) })(object);
};

export const skipper: ProviderFixture = {
  provider: 'skipper',
  tutorial: ['Skipper', 'Your Ingress stays unchanged; Serin makes a second one beside it, whose predicates take a part of the traffic.'],
  objects: anIngress('skipper'),
  spec: ingressSpec,
  host: ingressHost,
  route: ingressCopy,
  edits: {
    ...ingressEdits,
    'the weights swapped': swapped,
    'no weights': annotate({ [WEIGHTS]: undefined }),
    'weights that cannot be read': annotate({ [WEIGHTS]: 'half' }),
    'taken out': annotate({ [PREDICATE]: 'False()' }),
    'no predicate': annotate({ [PREDICATE]: undefined }),
    'a condition of their own': annotate({ [PREDICATE]: 'Weight(100) && Header("x-theirs", "yes")' }),
  },
};
