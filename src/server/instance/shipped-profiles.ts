import { ProfileDocument } from '../../shared/domain/profile.ts';
import aiAnswerVerification from '../content/profiles/ai_answer_verification.json' with { type: 'json' };
import crisprEditEvidence from '../content/profiles/crispr_edit_evidence.json' with { type: 'json' };
import generalClaimEvidence from '../content/profiles/general_claim_evidence.json' with { type: 'json' };
import trioRareDisease from '../content/profiles/trio_rare_disease.json' with { type: 'json' };
import trioRareDiseaseFirst from '../content/profiles/earlier/trio_rare_disease_1.0.json' with { type: 'json' };
import wetLabAssayEvidence from '../content/profiles/wet_lab_assay_evidence.json' with { type: 'json' };

/**
 * Profiles that come with the application, for `openStore`. Imported, so that a bundle carries
 * them. Earlier versions stay, for the cases that use them.
 */
export const SHIPPED_PROFILES: readonly ProfileDocument[] = [
  generalClaimEvidence,
  trioRareDiseaseFirst,
  trioRareDisease,
  wetLabAssayEvidence,
  crisprEditEvidence,
  aiAnswerVerification,
].map((document) => ProfileDocument.parse(document));
