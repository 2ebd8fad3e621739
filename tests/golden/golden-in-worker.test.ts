import { describeReplay } from './replay.ts';

/** Moves every write and every converted read to a worker thread, regardless of size. */
const everything = { bytes: -1, values: -1 };

describeReplay('recorded answers of kube-apiserver, served by worker threads', { offload: { limits: everything } });
