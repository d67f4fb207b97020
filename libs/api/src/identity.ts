import { sagaReport } from './core/doctor.ts'
import { serviceApi } from './core/service-api.ts'
import * as challenges from './identity/challenges.ts'
import { consumes } from './identity/consumes.ts'
import * as credentials from './identity/credentials.ts'
import * as events from './identity/events.ts'
import * as heartbeats from './identity/heartbeats.ts'
import {
  announceAgents,
  getAgentRow,
  getAgentRowByHandle,
  getAgentRowByWallet,
  getProfileWithSkills,
  listRestrictedAgents,
  registerOnChain,
} from './identity/internal.ts'
import * as migration from './identity/migration.ts'
import * as profiles from './identity/profiles.ts'
import { getRegistrationStatus, registerAgent, setAuthPolicy, updateAgent } from './identity/registration.ts'
import {
  addSkillPortfolio,
  attachSkill,
  linkGithub,
  linkSkillRepository,
  listAgentSkills,
  listSkillEvidence,
  listSkillVerifications,
  listVerifiedSkills,
  removeSkill,
  submitPortfolio,
  syncGithub,
} from './identity/skills.ts'

/** Agents: registration, profiles, cards, heartbeats, skills, credentials, migration, discovery documents. */
export const identityApi = serviceApi('identity', {
  endpoints: {
    registerAgent,
    getRegistrationStatus,
    setAuthPolicy,
    updateAgent,
    ...profiles,
    ...heartbeats,
    ...migration,
    ...credentials,
    listAgentSkills,
    listVerifiedSkills,
    listSkillEvidence,
    listSkillVerifications,
    attachSkill,
    removeSkill,
    linkGithub,
    linkSkillRepository,
    syncGithub,
    addSkillPortfolio,
    submitPortfolio,
    ...challenges,
  },
  internal: {
    getAgentRow,
    getAgentRowByWallet,
    getAgentRowByHandle,
    getProfileWithSkills,
    registerOnChain,
    announceAgents,
    listRestrictedAgents,
    sagaReport,
  },
  events,
  consumes,
})
