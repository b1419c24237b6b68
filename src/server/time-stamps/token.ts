import { createHash, X509Certificate } from 'node:crypto';
import { fromBER, Integer, ObjectIdentifier, OctetString, Sequence } from 'asn1js';
import {
  AlgorithmIdentifier,
  type Attribute,
  Certificate,
  CertificateChainValidationEngine,
  ContentInfo,
  type ExtKeyUsage,
  IssuerAndSerialNumber,
  MessageImprint,
  SignedData,
  TimeStampReq,
  TimeStampResp,
  TSTInfo,
} from 'pkijs';
import { HASHES, signingCertificateFits } from './signing-certificate.ts';

/** Time-stamps of RFC 3161: the request, what of an answer is a token, and the check of a token. */

const OID = {
  sha256: '2.16.840.1.101.3.4.2.1',
  signedData: '1.2.840.113549.1.7.2',
  tstInfo: '1.2.840.113549.1.9.16.1.4',
  contentType: '1.2.840.113549.1.9.3',
  messageDigest: '1.2.840.113549.1.9.4',
  extendedKeyUsage: '2.5.29.37',
  timeStamping: '1.3.6.1.5.5.7.3.8',
} as const;
const GRANTED: ReadonlySet<number> = new Set([0, 1]);
/** No chain of certificates is longer. */
const MOST_CERTIFICATES = 8;

/** An answer or a token that is not what was asked for; the message says why. */
export class NotStamped extends Error {
  override name = 'NotStamped';
}

function need(isSo: boolean, why: string): asserts isSo {
  if (!isSo) throw new NotStamped(why);
}

const hexOf = (integer: Integer): string =>
  Buffer.from(integer.valueBlock.valueHexView).toString('hex');

/** The request for a time-stamp over what has this SHA-256. */
export function stampRequest(
  covers: string,
  { nonce, policy }: { nonce: Uint8Array; policy: string | undefined },
): Uint8Array {
  const request = new TimeStampReq({
    version: 1,
    messageImprint: new MessageImprint({
      hashAlgorithm: new AlgorithmIdentifier({ algorithmId: OID.sha256 }),
      hashedMessage: new OctetString({
        valueHex: new Uint8Array(Buffer.from(covers, 'hex')).buffer,
      }),
    }),
    ...(policy !== undefined && { reqPolicy: policy }),
    nonce: new Integer({ valueHex: new Uint8Array(nonce).buffer }),
    certReq: true,
  });
  return new Uint8Array(request.toSchema().toBER());
}

/** What reads `bytes` whole, or refuses them. */
function parsed<T>(bytes: Uint8Array, what: string, read: (bytes: ArrayBuffer) => T): T {
  const own = new Uint8Array(bytes).buffer;
  const { offset } = fromBER(own);
  need(offset === own.byteLength, `It is no ${what}: other bytes are in it.`);
  try {
    return read(own);
  } catch {
    throw new NotStamped(`It is no ${what}.`);
  }
}

/** The token in an answer, as its bytes are in it. */
export function tokenIn(answer: Uint8Array): Uint8Array {
  const { status, timeStampToken } = parsed(answer, 'answer to a request for a time-stamp', (own) =>
    TimeStampResp.fromBER(own),
  );
  need(
    GRANTED.has(Number(status.status)),
    `The authority refused: status ${Number(status.status)}.`,
  );
  const { result } = fromBER(new Uint8Array(answer).buffer);
  const token = result instanceof Sequence ? result.valueBlock.value[1] : undefined;
  need(timeStampToken !== undefined && token !== undefined, 'The answer has no token.');
  return new Uint8Array(token.valueBeforeDecodeView);
}

/** A token as it is, before it is known whose it is. */
interface ReadToken {
  signed: SignedData;
  info: TSTInfo;
  signer: Certificate;
  /** The certificates in it. */
  brought: Certificate[];
}

function readToken(token: Uint8Array): ReadToken {
  const signed = parsed(token, 'time-stamp', (own) => {
    const content = ContentInfo.fromBER(own);
    need(content.contentType === OID.signedData, 'It is no signed time-stamp.');
    return new SignedData({ schema: content.content });
  });
  const { encapContentInfo, signerInfos, certificates = [] } = signed;
  const { eContent } = encapContentInfo;
  need(
    encapContentInfo.eContentType === OID.tstInfo && eContent !== undefined,
    'It is signed, and no time-stamp.',
  );
  const info = parsed(new Uint8Array(eContent.getValue()), 'time-stamp', (own) =>
    TSTInfo.fromBER(own),
  );
  need(info.version === 1, 'It is a time-stamp of another version.');
  const [signerInfo] = signerInfos;
  need(signerInfo !== undefined && signerInfos.length === 1, 'It does not have one signature.');
  const { sid } = signerInfo;
  const brought = certificates.filter((one) => one instanceof Certificate);
  const signer =
    sid instanceof IssuerAndSerialNumber
      ? brought.find(
          ({ issuer, serialNumber }) =>
            issuer.isEqual(sid.issuer) && serialNumber.isEqual(sid.serialNumber),
        )
      : undefined;
  need(signer !== undefined, 'The certificate of the authority is not in it.');
  return { signed, info, signer, brought };
}

/** The one attribute of this type that the authority signed. */
function attributeIn(attributes: readonly Attribute[], type: string): Attribute | undefined {
  const found = attributes.filter((one) => one.type === type);
  need(found.length <= 1, 'It has an attribute twice.');
  return found[0];
}

/** The signature of the token, and that its certificate is one for time-stamps alone. */
async function checkSigned({ signed, signer }: ReadToken, covered: Uint8Array): Promise<void> {
  const [signerInfo] = signed.signerInfos;
  const attributes = signerInfo?.signedAttrs?.attributes ?? [];
  need(HASHES.has(signerInfo?.digestAlgorithm.algorithmId ?? ''), 'It is signed by a weak hash.');
  const type = attributeIn(attributes, OID.contentType)?.values[0] as unknown;
  need(
    type instanceof ObjectIdentifier && type.getValue() === OID.tstInfo,
    'What it is signed as is another thing.',
  );
  need(attributeIn(attributes, OID.messageDigest) !== undefined, 'It is signed without a digest.');
  need(
    signingCertificateFits(attributes, new Uint8Array(signer.toSchema().toBER())),
    'The certificate that it names is not the one in it.',
  );
  const usage = signer.extensions?.find(({ extnID }) => extnID === OID.extendedKeyUsage);
  const purposes = (usage?.parsedValue as ExtKeyUsage | undefined)?.keyPurposes ?? [];
  need(
    usage?.critical === true && purposes.length === 1 && purposes[0] === OID.timeStamping,
    'The certificate of the authority is not one for time-stamps.',
  );
  const isSigned = await signed
    .verify({ signer: 0, data: new Uint8Array(covered).buffer, checkChain: false })
    .catch(() => false);
  need(isSigned, 'The signature in it is not valid, or over another file.');
}

const x509 = (certificate: Certificate): X509Certificate =>
  new X509Certificate(Buffer.from(certificate.toSchema().toBER()));

/** The certificates of a PEM file. */
const inPem = (pem: string): Certificate[] =>
  [...pem.matchAll(/-----BEGIN CERTIFICATE-----([\s\S]+?)-----END CERTIFICATE-----/g)].map(
    ([, base64 = '']) => Certificate.fromBER(new Uint8Array(Buffer.from(base64, 'base64')).buffer),
  );

/**
 * One way from a certificate up to a trusted one; without one where there is none. It never takes a
 * certificate twice: those that a token brings may sign each other.
 */
function wayUp(
  from: Certificate,
  brought: readonly Certificate[],
  trusted: readonly Certificate[],
): Certificate[] | undefined {
  const way: Certificate[] = [];
  const left = new Set(brought.filter((one) => one !== from).slice(0, 4 * MOST_CERTIFICATES));
  let at = x509(from);
  const issues = (one: Certificate): boolean => {
    const issuer = x509(one);
    return issuer.ca && at.checkIssued(issuer) && at.verify(issuer.publicKey);
  };
  while (way.length < MOST_CERTIFICATES) {
    if (trusted.some(issues)) return way;
    const next = [...left].find(issues);
    if (next === undefined) return undefined;
    way.push(next);
    left.delete(next);
    at = x509(next);
  }
  return undefined;
}

async function isTrusted({ info, signer, brought }: ReadToken, pem: string): Promise<boolean> {
  const trusted = inPem(pem);
  const way = wayUp(signer, brought, trusted);
  if (way === undefined) return false;
  const engine = new CertificateChainValidationEngine({
    trustedCerts: trusted,
    certs: [...way, signer],
    checkDate: info.genTime,
  });
  return (await engine.verify()).result;
}

/** Of a name in a certificate, its values. */
const namesOf = ({ subject }: Certificate): string =>
  subject.typesAndValues.map(({ value }) => String(value.valueBlock.value)).join(', ');

/** A time-stamp that is one. `isKnown`: its authority is trusted here. */
export interface CheckedToken {
  at: string;
  authority: string;
  policy: string;
  isKnown: boolean;
}

interface Wanted {
  /** What it is over. */
  covered: Uint8Array;
  /** As it was asked for. */
  nonce?: Uint8Array | undefined;
  policy?: string | undefined;
  /** The certificates that are trusted, as PEM. */
  trusted: string;
}

/** Checks a token and rejects with NotStamped where it is none over these bytes. */
export async function checkToken(
  token: Uint8Array,
  { covered, nonce, policy, trusted }: Wanted,
): Promise<CheckedToken> {
  try {
    const read = readToken(token);
    const { info, signer } = read;
    const { hashAlgorithm, hashedMessage } = info.messageImprint;
    need(
      hashAlgorithm.algorithmId === OID.sha256 &&
        createHash('sha256').update(covered).digest().equals(hashedMessage.valueBlock.valueHexView),
      'It is over another file.',
    );
    if (nonce !== undefined)
      need(
        info.nonce !== undefined && hexOf(info.nonce) === Buffer.from(nonce).toString('hex'),
        'It answers another request.',
      );
    if (policy !== undefined) need(info.policy === policy, 'It is under another policy.');
    await checkSigned(read, covered);
    return {
      at: info.genTime.toISOString(),
      authority: namesOf(signer),
      policy: info.policy,
      isKnown: await isTrusted(read, trusted),
    };
  } catch (error) {
    // What a library says of bytes that others made is no failure of ours.
    throw error instanceof NotStamped ? error : new NotStamped('It cannot be read.');
  }
}
