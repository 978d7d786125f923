import { contractReplies, DecodeQuery, legacyBodies } from '@shardwalk/api-schema'
import { objectRoute, postRoute, type Route } from '../../http/route.ts'
import { FAILS } from './fails.ts'

const getDecode = objectRoute({
  path: '/api/v3/decode',
  tag: 'Utils',
  summary: 'Names of opcodes and fields of bodies',
  description:
    'Answers in the order of the request. The same as POST with a JSON body ' +
    '`{"opcodes": […], "bodies": […]}`.',
  query: DecodeQuery,
  reply: () => contractReplies.Decode,
  fails: FAILS,
  handle: ({ work }, { opcodes, bodies }) => work('decode', { lists: { opcodes, bodies } }),
})

const postDecode = postRoute({
  path: '/api/v3/decode',
  tag: 'Utils',
  summary: 'Names of opcodes and fields of bodies',
  description:
    'Same as GET, for lists that are too long for a URL. Forms of both kinds and XML are accepted too: ' +
    '`<DecodeRequest><Opcodes>0x1</Opcodes></DecodeRequest>`, with an element for each value.',
  body: legacyBodies.decode,
  reply: () => contractReplies.Decode,
  fails: {
    413: 'The body has more than 4 MB.',
    422: 'A value is wrong, or the body is none of the accepted forms.',
    503: 'Too many large requests are waiting; see Retry-After.',
  },
  handle: (body, work) => work('decode', body),
})

export const DECODE_ROUTES: readonly Route[] = [getDecode]
/** In addition to the routes that read the index. */
export const DECODE_POST_ROUTES: readonly Route[] = [postDecode]
