/** The timeouts of clients that commands have of their own: they run on an operator's machine, far from AWS. */
export const farTimeouts = {
  requestHandler: {
    connectionTimeout: 3_000,
    requestTimeout: 5_000,
    throwOnRequestTimeout: true,
    socketTimeout: 5_000,
  },
};
