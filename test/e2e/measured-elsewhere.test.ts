import { startRealEnvironment } from '../scenarios/environment.ts';
import { describeMeasuredElsewhere } from '../scenarios/measured-elsewhere.ts';

describeMeasuredElsewhere('releases whose scaler measures something else, on a real control plane', startRealEnvironment);
