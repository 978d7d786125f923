import { opcode } from './declared.ts'

/** Telegram usernames and numbers. Source: TelegramMessenger/telemint, telemint.tlb and func/common.fc. */
export const TELEITEM = {
  deploy: opcode('teleitem_msg_deploy'),
  /** Payload of the notification that a sold item sends. */
  bidInfo: opcode('teleitem_bid_info'),
  startAuction: opcode('teleitem_msg_start_auction'),
  cancelAuction: opcode('teleitem_msg_cancel_auction'),
  ok: opcode('teleitem_ok'),
  /** Refund of a bidder; .ton domains send it too. */
  outbidNotification: opcode('outbid_notification'),
  /** Payment of the price or of royalties; also prolongs a .ton domain. */
  fillUp: opcode('auction_fill_up'),
} as const
