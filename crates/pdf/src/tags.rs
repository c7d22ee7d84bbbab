//! Tags for screen readers: ISO 32000-1, 14.7 and 14.8.

use pdf_writer::{
    Finish, Ref, TextStr,
    types::{StructRole, TableHeaderScope},
    writers::{StructElement, StructTreeRoot},
};

use crate::{file::PdfFile, page_writer::Marked};

/// Tagged content in reading order.
#[derive(Default)]
pub(crate) struct Tags {
    pub(crate) head: Vec<Marked>,
    /// Cells of each row of the table; the first row has the titles.
    pub(crate) rows: Vec<Vec<Vec<Marked>>>,
    pub(crate) tail: Vec<Tail>,
}

/// Content below the table.
pub(crate) enum Tail {
    Text(Marked),
    /// A picture with its description.
    Picture(Marked, String),
}

impl Tags {
    /// Writes the tree of a document with these pages, and returns its root.
    pub(crate) fn write(&self, file: &mut PdfFile, pages: &[Ref], table_summary: &str) -> Ref {
        let (root, document) = (file.reserve(), file.reserve());
        let head: Vec<Ref> = self.head.iter().map(|_| file.reserve()).collect();
        let table = file.reserve();
        let tail: Vec<Ref> = self.tail.iter().map(|_| file.reserve()).collect();
        let mut tree = TreeWriter { file, owners: Vec::new() };
        tree.group(document, StructRole::Document, root, head.iter().chain([&table]).chain(&tail).copied());
        for (id, text) in head.iter().zip(&self.head) {
            tree.leaf(*id, StructRole::P, document, &[*text], None);
        }
        tree.table(table, &self.rows, document, table_summary);
        for (id, part) in tail.iter().zip(&self.tail) {
            match part {
                Tail::Text(text) => tree.leaf(*id, StructRole::P, document, &[*text], None),
                Tail::Picture(picture, about) => tree.leaf(*id, StructRole::Figure, document, &[*picture], Some(about)),
            }
        }
        let owners = tree.owners;
        write_root(file, root, document, pages, &owners);
        root
    }
}

/// Writes the elements of the tree.
struct TreeWriter<'a> {
    file: &'a mut PdfFile,
    /// Each content with its element.
    owners: Vec<(Marked, Ref)>,
}

impl TreeWriter<'_> {
    fn table(&mut self, id: Ref, rows: &[Vec<Vec<Marked>>], parent: Ref, summary: &str) {
        let elements: Vec<Ref> = rows.iter().map(|_| self.file.reserve()).collect();
        self.group(id, StructRole::Table, parent, elements.iter().copied())
            .attributes()
            .push()
            .table()
            .summary(TextStr(summary));
        for (row, (element, cells)) in elements.iter().zip(rows).enumerate() {
            let role = if row == 0 { StructRole::TH } else { StructRole::TD };
            let ids: Vec<Ref> = cells.iter().map(|_| self.file.reserve()).collect();
            self.group(*element, StructRole::TR, id, ids.iter().copied());
            for (id, texts) in ids.iter().zip(cells) {
                self.leaf(*id, role, *element, texts, None);
            }
        }
    }

    /// Writes an element of elements.
    fn group(
        &mut self,
        id: Ref,
        role: StructRole,
        parent: Ref,
        children: impl Iterator<Item = Ref>,
    ) -> StructElement<'_> {
        let mut element = self.file.object(id).struct_element(id);
        element.kind(role).parent(parent);
        let mut items = element.children();
        children.for_each(|child| {
            items.struct_element(child);
        });
        items.finish();
        element
    }

    /// Writes an element of contents, which are on one page.
    fn leaf(&mut self, id: Ref, role: StructRole, parent: Ref, contents: &[Marked], about: Option<&str>) {
        let mut element = self.file.object(id).struct_element(id);
        element.kind(role).parent(parent);
        if let Some(first) = contents.first() {
            element.page(first.page);
        }
        if let Some(about) = about {
            element.alt(TextStr(about));
        }
        if role == StructRole::TH {
            element.attributes().push().table().scope(TableHeaderScope::Column);
        }
        let mut items = element.children();
        contents.iter().for_each(|content| {
            items.marked_content_id(content.number);
        });
        items.finish();
        element.finish();
        self.owners.extend(contents.iter().map(|it| (*it, id)));
    }
}

/// Writes the root, with the element of each content: an array for each page, in the order of the contents' numbers.
fn write_root(file: &mut PdfFile, root: Ref, document: Ref, pages: &[Ref], owners: &[(Marked, Ref)]) {
    let arrays: Vec<Ref> = pages.iter().map(|_| file.reserve()).collect();
    for (page, id) in pages.iter().zip(&arrays) {
        let mut contents: Vec<_> = owners.iter().filter(|(content, _)| content.page == *page).collect();
        contents.sort_unstable_by_key(|(content, _)| content.number);
        file.object(*id).indirect(*id).array().items(contents.iter().map(|(_, element)| *element));
    }
    let mut tree: StructTreeRoot<'_> = file.object(root).indirect(root).start();
    tree.child(document).parent_tree_next_key(i32::try_from(pages.len()).unwrap_or(i32::MAX));
    let mut parents = tree.parent_tree();
    let mut numbers = parents.nums();
    for (number, array) in (0..).zip(&arrays) {
        numbers.insert(number, *array);
    }
}
