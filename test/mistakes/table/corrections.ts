import { setField } from '../../scenarios/stalls/set-field.ts';
import { APP, IMAGE } from '../manifests.ts';
import type { MistakeFixture, Remedy } from '../mistake.ts';

export const deploymentRef = (namespace: string, name = APP) => ({ apiVersion: 'apps/v1', kind: 'Deployment', name, namespace });
export const canaryRef = (namespace: string, name = APP) => ({ apiVersion: 'flagger.app/v1beta1', kind: 'Canary', name, namespace });

export const setOfDeployment = ({ environment }: MistakeFixture, namespace: string, field: string, value: unknown): Promise<void> =>
  setField(environment.cluster, deploymentRef(namespace), field, value);
export const setOfCanary = ({ environment }: MistakeFixture, namespace: string, field: string, value: unknown): Promise<void> =>
  setField(environment.cluster, canaryRef(namespace), field, value);

/**
 * A reader to whom only a corrected version is named, where the version was never the mistake: a new image, and every other field unmodified. The last remedy of a mistake, so that more exact
 * words are found first.
 */
export const newVersionOnly: Remedy = {
  says: /^set Deployment web spec\.template|push (a|another|the) \w+/i,
  do: (fixture, namespace) => setOfDeployment(fixture, namespace, `spec.template.spec.containers[${APP}].image`, `${IMAGE}:2.0.1`),
};

/** The reader corrects the field of the container that is at fault, where only the template, or the container, is named. */
export const correctContainer = (field: string, value: unknown, named: RegExp): Remedy => ({
  says: new RegExp(`^set Deployment web spec\\.template.*|${named.source}`, 's'),
  do: (fixture, namespace) => setOfDeployment(fixture, namespace, `spec.template.spec.containers[${APP}].${field}`, value),
});
