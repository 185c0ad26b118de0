/** One port of the generated Services. `targetPort` is a number or a container port's name. */
export interface Port {
  name: string;
  port: number;
  targetPort: number | string;
  protocol: string;
  appProtocol?: string;
}
