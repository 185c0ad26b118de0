import { anEnvironment, startVirtualEnvironment } from '../scenarios/environment.ts';
import { describeLeftRoutes } from '../scenarios/left-routes.ts';
import { contour } from '../scenarios/providers/contour.ts';
import { gatewayApiTakenOver } from '../scenarios/providers/gateway-api.ts';
import { gloo } from '../scenarios/providers/gloo.ts';
import { traefik } from '../scenarios/providers/traefik.ts';

const environmentOf = anEnvironment(startVirtualEnvironment);
for (const fixture of [contour, gatewayApiTakenOver(), gloo, traefik]) describeLeftRoutes(environmentOf, fixture);
