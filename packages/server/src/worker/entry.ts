import { serveInWorker } from './worker-api.ts';

// Entry file of worker threads if the server is not bundled.
serveInWorker();
