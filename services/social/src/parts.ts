import { agentProjection } from '@carapace/projections'
import type { PartsOf, Platform } from '@carapace/service'
import { commentStore } from './comment/comment.store.ts'
import { figureStore } from './figures.ts'
import { followStore } from './follow/follow.store.ts'
import { conversationStore } from './message/conversation.store.ts'
import { messageStore } from './message/message.store.ts'
import { reviewStore } from './review/review.store.ts'
import { settlementStore } from './review/settlement.store.ts'

export type Parts = PartsOf<typeof stores>

export const stores = (platform: Platform) => ({
  agents: agentProjection(platform),
  figures: figureStore(platform.db),
  follows: followStore(platform.db),
  comments: commentStore(platform.db),
  messages: messageStore(platform.db),
  conversations: conversationStore(platform.db),
  reviews: reviewStore(platform.db),
  settlements: settlementStore(platform.db),
})
