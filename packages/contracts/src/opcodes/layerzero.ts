/**
 * LayerZero. Source: LayerZero-Labs/LayerZero-v2, packages/layerzero-v2/ton/src/protocol, the interface.fc of
 * each contract: an opcode is the CRC-32 of its name, as `Endpoint::OP::ENDPOINT_SEND`.
 */
export const LAYERZERO = {
  endpointSend: 0xdd4ea3b4,
  channelSend: 0x536feb09,
  msglibSend: 0x4002b790,
  ulnSend: 0x5de68393,
  msglibSendCallback: 0x421c1a25,
  channelSendCallback: 0xa2b5fbae,
  event: 0xe33b9873,
  receivePrepare: 0x22f3ac09,
  oappReceivePrepare: 0x97df404c,
  receiveLock: 0xb7680bc6,
  receiveExecute: 0x0c7b8418,
  executeCallback: 0xcaae25a1,
  ulnCommit: 0x28b97077,
  connectionCommit: 0xf9d37b80,
  endpointCommit: 0x5dab749a,
  channelCommit: 0x5388cd88,
  commitCallback: 0x5e178f33,
  dvnVerify: 0xa0d51a8d,
  proxyCall: 0x09f047d9,
  ulnVerify: 0x994aaf4e,
  connectionVerify: 0x4ec8f80a,
  verifyCallback: 0x3cb38090,
} as const
