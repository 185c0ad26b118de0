import type { Provider, TargetRef } from '../../api/canary.ts';
import { appmesh, appmeshDaemonSet, contour, gloo, knative, kuma } from './envoy.ts';
import { http, httpDaemonSet } from './http.ts';
import { apisix, nginx, skipper, traefik } from './ingresses.ts';
import { istio, istioService, linkerd, linkerdDaemonSet, linkerdService, osm, osmDaemonSet } from './meshes.ts';
import type { Observer } from './observer.ts';

export type { Observer } from './observer.ts';

/** SMI says how to split traffic, not how to count it; Flagger's choice is Istio's metrics (05-B4). */
const observers = {
  apisix,
  appmesh,
  'appmesh:v1beta2': appmesh,
  contour,
  'gatewayapi:v1': http,
  'gatewayapi:v1beta1': http,
  gloo,
  istio,
  knative,
  kubernetes: http,
  kuma,
  linkerd,
  nginx,
  none: http,
  osm,
  skipper,
  'smi:v1alpha1': istio,
  'smi:v1alpha2': istio,
  'smi:v1alpha3': istio,
  'smi:v1alpha4': istio,
  traefik,
} satisfies Record<Provider, Observer>;

/** Pods of a DaemonSet have other names and labels than those of a Deployment (05-B28, W34). */
const forDaemonSets = new Map<Observer, Observer>([
  [appmesh, appmeshDaemonSet],
  [http, httpDaemonSet],
  [linkerd, linkerdDaemonSet],
  [osm, osmDaemonSet],
]);

/** Others name pods after the target, which fits where the pods' Deployment is named as the Service is (05-W10). */
const forServices = new Map<Observer, Observer>([
  [istio, istioService],
  [linkerd, linkerdService],
]);

const byKind = { DaemonSet: forDaemonSets, Deployment: new Map<Observer, Observer>(), Service: forServices };

/** The built-in queries for a provider and kind of target. A Service target keeps its provider's queries (05-W10). */
export function observerFor(provider: Provider, targetKind: TargetRef['kind']): Observer {
  const observer: Observer = observers[provider];
  return byKind[targetKind].get(observer) ?? observer;
}
