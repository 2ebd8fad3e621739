import { describeReplay } from './replay.ts';

/** Every write and every converted read leaves the event loop, however small it is. */
const everything = { bytes: -1, values: -1 };

describeReplay('recorded answers of kube-apiserver, served by worker threads', { offload: { limits: everything } });
