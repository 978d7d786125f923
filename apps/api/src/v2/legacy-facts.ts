import {
  AccountInformationQuery,
  contractReplies,
  legacyBodies,
  legacyReplies,
  type RouteFacts,
} from '@shardwalk/api-schema'
import { z } from 'zod'

const fails = {
  422: 'A value is wrong.',
  500: 'What a lite server answered, or something is broken.',
  504: 'No lite server answered in time.',
  542: 'There are no lite servers.',
}
const account = { tag: 'lite servers', query: AccountInformationQuery }
const posted = { tag: 'lite servers', query: z.object({}), fails: { 401: 'Something is missing.', ...fails } }

/** What OpenAPI says of the endpoints of API v3 that no list of routes holds. */
export const LEGACY_FACTS: readonly RouteFacts[] = [
  ...['addressInformation', 'account'].map((name) => ({
    ...account,
    path: `/api/v3/${name}`,
    summary: 'State of an account now',
    description:
      'Of the newest block that a lite server has. An account that never was is `uninit` and empty.',
    reply: legacyReplies.AddressInformation,
    fails: { 401: 'The address is missing.', ...fails },
  })),
  ...['walletInformation', 'wallet'].map((name) => ({
    ...account,
    path: `/api/v3/${name}`,
    summary: 'State of a wallet now',
    description: 'Of the newest block that a lite server has.',
    reply: legacyReplies.WalletInformation,
    fails: { 401: 'The address is missing.', 409: 'The account is not a wallet.', ...fails },
  })),
  {
    ...posted,
    path: '/api/v3/message',
    summary: 'Send an external message',
    description: 'Both hashes find the message in `/api/v3/messages` and `/api/v3/traces` later.',
    body: legacyBodies.message,
    reply: legacyReplies.SentMessage,
  },
  {
    ...posted,
    path: '/api/v3/estimateFee',
    summary: 'Fees of an external message',
    description: 'The message is run on the state of its receiver, and not sent. Nanotons.',
    body: legacyBodies.estimateFee,
    reply: legacyReplies.Fees,
  },
  {
    ...posted,
    path: '/api/v3/runGetMethod',
    summary: 'Run a get-method',
    description: 'A non-zero `exit_code` is an answer too. Numbers come back as hex.',
    body: legacyBodies.runGetMethod,
    reply: legacyReplies.GetMethodResult,
  },
  {
    path: '/api/v3/decode',
    tag: 'utils',
    summary: 'Names of opcodes and fields of bodies',
    description: 'The same as GET, for lists that no address line holds.',
    query: z.object({}),
    body: legacyBodies.decode,
    reply: contractReplies.Decode,
    fails: { 422: 'A value is wrong, or the body is not JSON.' },
  },
]
