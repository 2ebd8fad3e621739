import { inputFile, toggle } from './flag-types.ts';

const group = 'Aggregation';

/** Requests that are forwarded to the API servers of APIServices. */
export const aggregatorFlags = {
  proxyClientCertFile: inputFile({
    group,
    help: 'Client certificate for aggregated API servers, in place of one of the own front-proxy CA.',
  }),
  proxyClientKeyFile: inputFile({ group, help: 'Private key of --proxy-client-cert-file.' }),
  enableAggregatorRouting: toggle({
    group,
    fallback: true,
    help: 'Reach Services at their endpoints, and at their cluster IP only without any; if false, always at their cluster IP.',
  }),
};
