import { followStates } from './follow/follow-states.ts'
import { messageStates } from './message/message-states.ts'
import { reviewStates } from './review/review-states.ts'

export const states = [followStates, messageStates, reviewStates]
