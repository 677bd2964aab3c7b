import type { WasmMemory } from './memory-limit.ts';

/** An address in PDFium's memory; 0 is the null pointer. */
export type Pointer = number;

/** Where a call writes to, and how many bytes there are for it. */
export type Room = [buffer: Pointer, bytes: number];
/** Where it writes to, and where it writes how many bytes there would be. */
type RoomAndLength = [...Room, length: Pointer];
/** Where a call writes the sides of a box, or the parts of a colour. */
type Sides = [left: Pointer, bottom: Pointer, right: Pointer, top: Pointer];
type Colour = [red: Pointer, green: Pointer, blue: Pointer, alpha: Pointer];
/** A part of a bitmap. */
type Area = [left: number, top: number, width: number, height: number];
type Drawn = [...Area, rotate: number, flags: number];
type Bitmap = [width: number, height: number, format: number, pixels: Pointer, stride: number];

/**
 * The functions of PDFium that are called here, as its C headers declare them.
 * @see https://pdfium.googlesource.com/pdfium/+/refs/heads/main/public/
 */
export interface PdfiumExports {
  memory: WasmMemory & { buffer: ArrayBuffer };
  __indirect_function_table: { set(slot: number, callback: unknown): void };
  malloc(bytes: number): Pointer;
  free(pointer: Pointer): void;
  FPDF_InitLibrary(): void;
  FPDF_LoadCustomDocument(access: Pointer, password: Pointer): Pointer;
  FPDF_DocumentHasValidCrossReferenceTable(document: Pointer): number;
  FPDF_GetSecurityHandlerRevision(document: Pointer): number;
  FPDF_CloseDocument(document: Pointer): void;
  FPDF_GetLastError(): number;
  FPDF_GetFormType(document: Pointer): number;
  FPDFDOC_InitFormFillEnvironment(document: Pointer, callbacks: Pointer): Pointer;
  FPDFDOC_ExitFormFillEnvironment(form: Pointer): void;
  FORM_OnAfterLoadPage(page: Pointer, form: Pointer): void;
  FORM_OnBeforeClosePage(page: Pointer, form: Pointer): void;
  FPDF_GetPageCount(document: Pointer): number;
  FPDF_LoadPage(document: Pointer, index: number): Pointer;
  FPDF_ClosePage(page: Pointer): void;
  FPDF_GetPageWidthF(page: Pointer): number;
  FPDF_GetPageHeightF(page: Pointer): number;
  FPDF_GetPageBoundingBox(page: Pointer, box: Pointer): number;
  FPDFPage_GetRotation(page: Pointer): number;
  FPDFPage_GetAnnotCount(page: Pointer): number;
  FPDFPage_GetAnnot(page: Pointer, index: number): Pointer;
  FPDFPage_CloseAnnot(annotation: Pointer): void;
  FPDFAnnot_GetSubtype(annotation: Pointer): number;
  FPDFAnnot_GetAP(annotation: Pointer, mode: number, ...into: Room): number;
  FPDFAnnot_GetStringValue(annotation: Pointer, key: Pointer, ...into: Room): number;
  FPDF_GetXFAPacketCount(document: Pointer): number;
  FPDF_GetXFAPacketName(document: Pointer, index: number, ...into: Room): number;
  FPDF_GetXFAPacketContent(document: Pointer, index: number, ...into: RoomAndLength): number;
  FPDFDoc_GetAttachmentCount(document: Pointer): number;
  FPDFDoc_GetAttachment(document: Pointer, index: number): Pointer;
  FPDFAttachment_GetName(file: Pointer, ...into: Room): number;
  FPDFAttachment_GetFile(file: Pointer, ...into: RoomAndLength): number;
  FPDFPage_Flatten(page: Pointer, usage: number): number;
  FPDFPage_CountObjects(page: Pointer): number;
  FPDFPage_GetObject(page: Pointer, index: number): Pointer;
  FPDFPageObj_GetType(object: Pointer): number;
  FPDFPageObj_GetMatrix(object: Pointer, matrix: Pointer): number;
  FPDFPageObj_GetBounds(object: Pointer, ...sides: Sides): number;
  FPDFPageObj_GetFillColor(object: Pointer, ...colour: Colour): number;
  FPDFPageObj_HasTransparency(object: Pointer): number;
  FPDFPath_GetDrawMode(path: Pointer, fillMode: Pointer, stroke: Pointer): number;
  FPDFPath_CountSegments(path: Pointer): number;
  FPDFPath_GetPathSegment(path: Pointer, index: number): Pointer;
  FPDFPathSegment_GetPoint(segment: Pointer, x: Pointer, y: Pointer): number;
  FPDFPathSegment_GetType(segment: Pointer): number;
  FPDFFormObj_CountObjects(form: Pointer): number;
  FPDFFormObj_GetObject(form: Pointer, index: number): Pointer;
  FPDFImageObj_GetImagePixelSize(image: Pointer, width: Pointer, height: Pointer): number;
  FPDFImageObj_GetBitmap(image: Pointer): Pointer;
  FPDFTextObj_GetTextRenderMode(text: Pointer): number;
  FPDFText_LoadPage(page: Pointer): Pointer;
  FPDFText_ClosePage(text: Pointer): void;
  FPDFText_CountChars(text: Pointer): number;
  FPDFText_GetUnicode(text: Pointer, index: number): number;
  FPDFText_HasUnicodeMapError(text: Pointer, index: number): number;
  FPDFText_IsHyphen(text: Pointer, index: number): number;
  FPDFText_GetTextObject(text: Pointer, index: number): Pointer;
  FPDFText_GetCharAngle(text: Pointer, index: number): number;
  FPDFText_GetLooseCharBox(text: Pointer, index: number, box: Pointer): number;
  FPDFBitmap_CreateEx(...bitmap: Bitmap): Pointer;
  FPDFBitmap_FillRect(bitmap: Pointer, ...filled: [...Area, colour: number]): number;
  FPDFBitmap_Destroy(bitmap: Pointer): void;
  FPDF_RenderPageBitmap(bitmap: Pointer, page: Pointer, ...drawn: Drawn): void;
}
