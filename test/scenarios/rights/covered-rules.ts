import { dashboardPermissions, everyFeature, permissionsFor } from '../../../src/controller/permissions.ts';
import { grantName } from '../../fakes/rbac.ts';

/** Every verb on every resource that the chart can grant: `list secrets`, `patch deployments/scale.apps`. */
export function chartGrants(): string[] {
  const permissions = [...permissionsFor(everyFeature), ...Object.values(dashboardPermissions).flat()];
  const grants = permissions.flatMap(({ group, resources, verbs }) =>
    resources.flatMap((resource) => verbs.map((verb) => grantName({ verb, resource, group, name: '' }))),
  );
  return [...new Set(grants)];
}

/** Resources of the rules that the chart can grant, by the scenario that uses every verb of them but those of `onlyThen`. */
export const usedBy: Readonly<Record<string, readonly string[]>> = {
  'provider kubernetes': [
    ...['canaries.flagger.app', 'canaries/status.flagger.app', 'metrictemplates.flagger.app', 'namespaces', 'services', 'events'],
    ...['deployments.apps', 'deployments/scale.apps', 'controllerrevisions.apps', 'pods', 'endpointslices.discovery.k8s.io'],
    // An arrival looks for everything that knows the application.
    ...['statefulsets.apps', 'cronjobs.batch', 'jobs.batch', 'authorizationpolicies.security.istio.io'],
    ...['peerauthentications.security.istio.io', 'requestauthentications.security.istio.io', 'servers.policy.linkerd.io'],
    ...['ciliumnetworkpolicies.cilium.io', 'sidecars.networking.istio.io', 'podmonitors.monitoring.coreos.com'],
    ...['backendtlspolicies.gateway.networking.k8s.io', 'xbackendtrafficpolicies.gateway.networking.x-k8s.io'],
    ...['backendtrafficpolicies.gateway.envoyproxy.io', 'serviceprofiles.linkerd.io'],
  ],
  'a DaemonSet': ['daemonsets.apps'],
  'a HorizontalPodAutoscaler': ['horizontalpodautoscalers.autoscaling'],
  'a ScaledObject': ['scaledobjects.keda.sh'],
  'companions that come and go': [
    ...['poddisruptionbudgets.policy', 'networkpolicies.networking.k8s.io', 'verticalpodautoscalers.autoscaling.k8s.io'],
  ],
  'references to objects of another namespace': [
    ...['metrictemplates/status.flagger.app', 'alertproviders.flagger.app', 'alertproviders/status.flagger.app'],
  ],
  'ConfigMaps and Secrets, watched': ['configmaps', 'secrets'],
  'metric backends in the API server': ['keptnmetrics.metrics.keptn.sh', 'analyses.metrics.keptn.sh', '*.external.metrics.k8s.io'],
  'provider contour (0)': ['httpproxies.projectcontour.io'],
  'provider gatewayapi:v1, one namespace (1)': [
    ...['httproutes.gateway.networking.k8s.io', 'securitypolicies.gateway.envoyproxy.io', 'envoyextensionpolicies.gateway.envoyproxy.io'],
    ...['authpolicies.kuadrant.io', 'ratelimitpolicies.kuadrant.io'],
  ],
  'a GRPCRoute': ['grpcroutes.gateway.networking.k8s.io'],
  'provider apisix, one namespace (3)': ['apisixroutes.apisix.apache.org'],
  'provider gloo (4)': ['routetables.gateway.solo.io', 'upstreams.gloo.solo.io'],
  'provider istio, one namespace (5)': ['virtualservices.networking.istio.io', 'destinationrules.networking.istio.io'],
  'provider knative (6)': ['services.serving.knative.dev', 'revisions.serving.knative.dev'],
  'provider nginx, one namespace (7)': ['ingresses.networking.k8s.io'],
  'provider linkerd, one namespace (9)': ['trafficsplits.split.smi-spec.io'],
  'an A/B test of smi:v1alpha4': ['httproutegroups.specs.smi-spec.io'],
  'provider traefik makes its route': ['traefikservices.traefik.io', 'ingressroutes.traefik.io'],
  'provider kuma': ['trafficroutes.kuma.io'],
  'provider appmesh:v1beta2': ['virtualnodes.appmesh.k8s.aws', 'virtualservices.appmesh.k8s.aws', 'virtualrouters.appmesh.k8s.aws'],
};

/** Rules that no scenario uses, with the test that does: these need a user of the dashboard, or copies that Flagger has made. */
export const usedElsewhere: Readonly<Record<string, string>> = {
  'create tokenreviews.authentication.k8s.io': 'test/e2e/dashboard.test.ts',
  'create subjectaccessreviews.authorization.k8s.io': 'test/e2e/dashboard.test.ts',
  // After a start, of a repeat; and of the dashboard.
  'list events': 'src/kube/events.integration.test.ts',
  'watch events': 'test/e2e/dashboard.test.ts',
  'watch controllerrevisions.apps': 'test/e2e/dashboard.test.ts',
  // Of a template that the history has no more room for.
  'delete configmaps': 'src/controller/reconcile/config-copies.test.ts',
  'delete secrets': 'src/controller/reconcile/config-copies.test.ts',
  'patch configmaps': 'test/integration/config-adoption.test.ts',
  'patch secrets': 'test/integration/config-adoption.test.ts',
  'get secrets [login-primary]': 'test/integration/config-adoption.test.ts',
  'patch secrets [login-primary]': 'test/integration/config-adoption.test.ts',
};
