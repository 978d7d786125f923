/** block.tlb `action_send_msg#0ec3c86d mode:(## 8) out_msg:^(MessageRelaxed Any) = OutAction`. */
export const ACTION_SEND_MSG = 0x0ec3c86d
