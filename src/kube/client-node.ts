/** All that we use of client-node; by name, so that the bundle can leave out the rest of it. */
export { KubeConfig } from '@kubernetes/client-node';
