import { startVirtualEnvironment } from '../scenarios/environment.ts';
import { describeMeasuredElsewhere } from '../scenarios/measured-elsewhere.ts';

describeMeasuredElsewhere('releases whose scaler measures something else, on the embedded cluster', startVirtualEnvironment);
