import { IndexerError } from '@shardwalk/model'

/** The value of `NETWORK` is not a network, or the network cannot be used. */
export class NetworkNotUsable extends IndexerError {
  readonly code = 'network_not_usable'
  readonly retry = 'never'
}

/** The network could not be reached; the message has the cause and says what works without a network. */
export class NetworkUnreachable extends IndexerError {
  readonly code = 'network_unreachable'
  readonly retry = 'later'

  constructor(network: string, problem: string, options?: { cause?: unknown }) {
    super(
      [
        `Cannot reach the network ${network}: ${problem}.`,
        'Check the connection, or try Shardwalk without a network on a recorded chain:',
        '',
        '    npm start -- --network sample',
      ].join('\n'),
      options,
    )
  }
}
