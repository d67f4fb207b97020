import { stateMachine } from '@carapace/store'

export type MessageStatus = 'SENT' | 'READ' | 'ACCEPTED' | 'DECLINED'

/** An offer is decided by its gig: one that the marketplace has accepted is accepted, also if it was declined here at the same moment. */
export const messageStates = stateMachine<MessageStatus, 'read' | 'accept' | 'decline' | 'hire'>({
  name: 'message',
  initial: 'SENT',
  final: ['ACCEPTED', 'DECLINED'],
  rests: 'nobody must read a message, and an offer expires in the marketplace',
  transitions: {
    SENT: { read: 'READ', accept: 'ACCEPTED', decline: 'DECLINED', hire: 'ACCEPTED' },
    READ: { accept: 'ACCEPTED', decline: 'DECLINED', hire: 'ACCEPTED' },
    ACCEPTED: {},
    DECLINED: { hire: 'ACCEPTED' },
  },
})
